import Inspection
import Messages
import Testing
import Timelines

@Suite("An explanation follows from committed records alone, and says what these do not tell")
struct ExplanationTests {
    private static let began = Instant(rfc3339: "2026-11-20T06:00:00Z") ?? Instant(milliseconds: 0)

    private static func minutes(_ count: Int64) -> Instant { began + .minutes(count) }

    /// A timeline of one tick of each title, a quarter of an hour apart.
    private static func record(
        _ revision: Int64, count: Int64, at: Instant, titles: [String], due: Instant?, remaining: Int64 = 5,
        source: Int64 = 1
    ) -> TimelineRecord {
        let entries = titles.enumerated().map { index, title in
            var entry = TimelineEntry(
                .tick, at: at + .minutes(15 * Int64(index)), message: .init(title, code: .loading))
            entry.id = "tick/\((at + .minutes(15 * Int64(index))).rfc3339)"
            return entry
        }
        return TimelineRecord(
            configurationId: "c", kind: "K", family: .systemMedium, recipient: "r", revision: Revision(revision),
            generatedAt: at,
            timeline: Timeline(
                entries: entries, policy: due.map { .after($0) } ?? .never, nextUpdate: due, validUntil: due),
            refreshCount: count,
            budget: ReloadBudget(limit: 48, remaining: remaining, resetsAt: at + .hours(1)),
            sources: [SourceOffset(topic: "vehicle.telemetry", partition: 0, offset: source)])
    }

    private static func facts(_ records: TimelineRecord..., at: Instant) -> ExplainedFacts {
        var facts = ExplainedFacts("c", at: at, topics: TopicNames(), terms: ReloadTerms())
        for (index, record) in records.enumerated() {
            facts.timelines.append(
                Placed(record, at: SourceOffset(topic: "timelines", partition: 0, offset: Int64(index))))
        }
        return facts
    }

    private func reasons(_ facts: ExplainedFacts, _ about: Reason.Subject) throws -> [Reason] {
        var parser = JSONParser()
        return try Explanation(facts, entryId: nil).reasons(with: &parser).filter { $0.about == about }
    }

    private static let first = record(1, count: 1, at: minutes(0), titles: ["a", "b"], due: minutes(60))

    @Test("a renewal at its own due date costs no reload, and that is its cause")
    func renewal() throws {
        let renewed = Self.record(2, count: 2, at: Self.minutes(60), titles: ["c"], due: Self.minutes(120))
        let facts = Self.facts(Self.first, renewed, at: Self.minutes(61))
        #expect(try reasons(facts, .reload).map(\.rules) == [["L1"], ["L2"]])
        let cause = try reasons(facts, .cause)
        #expect(cause.map(\.rules) == [["T12", "T5"]] && cause[0].sources.map(\.offset) == [0])
    }

    @Test("a visible change waits for others, then is held without a token; what does not show yet is none")
    func visibleChange() throws {
        let seen = Self.record(
            2, count: 2, at: Self.minutes(1), titles: ["x", "b"], due: Self.minutes(60), source: 2)
        #expect(try reasons(Self.facts(Self.first, seen, at: Self.minutes(1)), .reload).last?.rules == ["L5"])
        #expect(try reasons(Self.facts(Self.first, seen, at: Self.minutes(9)), .reload).last?.rules == ["L7", "L1"])
        let cause = try reasons(Self.facts(Self.first, seen, at: Self.minutes(9)), .cause)
        #expect(cause.map(\.text) == ["made because a source says something new"])
        #expect(cause[0].sources == seen.sources)

        let broke = Self.record(
            2, count: 2, at: Self.minutes(1), titles: ["x"], due: Self.minutes(60), remaining: 0, source: 2)
        #expect(try reasons(Self.facts(Self.first, broke, at: Self.minutes(9)), .reload).last?.rules == ["L6", "L3"])

        let early = Self.record(1, count: 1, at: Self.minutes(0), titles: ["a", "b"], due: Self.minutes(10))
        let later = Self.record(
            2, count: 2, at: Self.minutes(1), titles: ["a", "y"], due: Self.minutes(10), source: 2)
        let hidden = try reasons(Self.facts(early, later, at: Self.minutes(9)), .reload).last
        #expect(hidden?.rules == ["L1", "T6"], "\(String(describing: hidden))")
    }

    @Test("a reload of this revision is named with its reason and place; an older one is said to be older")
    func sent() throws {
        var facts = Self.facts(Self.first, at: Self.minutes(5))
        let budget = ReloadBudget(limit: 48, remaining: 4, resetsAt: Self.minutes(9))
        func reload(_ revision: Int64, _ at: Instant) -> Placed<ReloadNotification> {
            Placed(
                ReloadNotification(
                    recipient: "r", kind: "K", configurationIds: ["c"], reason: .statusChanged,
                    revision: Revision(revision), issuedAt: at, budget: budget),
                at: SourceOffset(topic: "timeline.reloads", partition: 3, offset: 8))
        }
        facts.reloads = [reload(1, Self.minutes(1))]
        let sent = try reasons(facts, .reload)
        #expect(sent.map(\.rules) == [["L1", "L8"]] && sent[0].sources.map(\.text) == ["timeline.reloads[3]@8"])
        #expect(sent[0].text.contains("statusChanged; 4 of its reloads were left"))
        facts.reloads = [reload(0, Self.minutes(-5))]
        #expect(try reasons(facts, .reload).map(\.rules) == [["L8"], ["L4"]])
        facts.reloads = [reload(1, Self.minutes(6))]
        #expect(try reasons(facts, .reload)[0].text == "the topic holds no reload that names it")
    }

    @Test("where compaction took the timeline before, the cause is said to be unknown")
    func compacted() throws {
        let alone = Self.record(4, count: 9, at: Self.minutes(0), titles: ["a"], due: nil)
        let cause = try reasons(Self.facts(alone, at: Self.minutes(1)), .cause)
        #expect(cause[0].text.contains("no longer holds the timeline before"))
        let gap = Self.facts(Self.first, alone, at: Self.minutes(1))
        #expect(try reasons(gap, .cause)[0].text.contains("no longer holds the timeline before"))
        #expect(try reasons(gap, .source)[0].text.contains("holds it no more"))
    }

    @Test("an instant before the timeline and an entry that is not there are refused, with what is allowed")
    func refusals() {
        #expect(throws: Explanation.Refusal.tooEarly(generatedAt: Self.minutes(0))) {
            try Explanation(Self.facts(Self.first, at: Self.minutes(-1)), entryId: nil)
        }
        #expect(throws: Explanation.Refusal.noTimeline) {
            try Explanation(Self.facts(at: Self.minutes(1)), entryId: nil)
        }
        do throws(Explanation.Refusal) {
            _ = try Explanation(Self.facts(Self.first, at: Self.minutes(1)), entryId: "tick/2026-11-20T06:00:01Z")
            Issue.record("an entry that is not there was explained")
        } catch {
            #expect(error.description.contains("'tick/2026-11-20T06:00:00Z'"), "\(error)")
        }
    }

    @Test("the entry in force is the last whose date has come; what comes next is said with how long it takes")
    func inForce() throws {
        let facts = Self.facts(Self.first, at: Self.minutes(20))
        #expect(try Explanation(facts, entryId: nil).entry.id == "tick/2026-11-20T06:15:00Z")
        #expect(try reasons(facts, .next).map(\.text).contains { $0.contains("in 40 minutes") })
        let late = Self.facts(Self.first, at: Self.minutes(70))
        #expect(try reasons(late, .next)[0].text.contains("10 minutes ago"))
    }
}
