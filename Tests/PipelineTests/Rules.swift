import Messages
import RecordLog
import Testing
import Timelines

/// What holds for everything that the pipeline writes, whatever comes in.
struct Rules {
    private var timelineCounts: [String: Int] = [:]
    private var stepsBack: [(from: Instant, to: Instant)] = []

    /// The clock went back: what is made may become as much older.
    mutating func noteStepBack(from: Instant, to: Instant) { stepsBack.append((from, to)) }

    /// A transaction publishes at most one timeline per configuration. Called after each step, which commits once.
    mutating func checkTransaction(_ timelines: [Record]) throws {
        var counts: [String: Int] = [:]
        for record in timelines where record.value != nil { counts[record.keyText ?? "", default: 0] += 1 }
        for (id, count) in counts {
            let new = count - (timelineCounts[id] ?? 0)
            #expect(new <= 1, "\(new) timelines of \(id) in one transaction")
        }
        timelineCounts = counts
    }

    func check(_ outputs: Outputs, at now: Instant) throws {
        let byConfiguration = Dictionary(grouping: outputs.timelines, by: \.configurationId)
        for (id, published) in byConfiguration { checkHistory(of: id, published, at: now) }
        for letter in outputs.deadLetters { checkDeadLetter(letter) }
    }

    /// Whether a timeline made for `older` may follow one made for `newer`: there were steps back from the one to the
    /// other, maybe with others between them.
    private func isStepBack(from newer: Instant, to older: Instant) -> Bool {
        stepsBack.indices.contains { first in
            newer <= stepsBack[first].from && stepsBack[first...].contains { $0.to <= older }
        }
    }

    private func checkHistory(of id: String, _ published: [Outputs.Published], at now: Instant) {
        var revision: Revision = 0
        var last: TimelineRecord?
        for each in published {
            checkHeaders(each)
            guard let record = each.timeline else {
                #expect(last != nil, "\(id): a tombstone removes something")
                last = nil
                continue
            }
            check(record, of: id, at: stepsBack.map(\.from).reduce(now, max))
            if let last {
                let isStepBack = isStepBack(from: last.generatedAt, to: record.generatedAt)
                #expect(record.generatedAt >= last.generatedAt || isStepBack, "\(id) became older")
                #expect(record.refreshCount == last.refreshCount + 1)
                let isSame = digest(last).isSameContent(as: digest(record), at: record.generatedAt)
                #expect(record.revision == (isSame ? revision : revision.next), "\(id): \(last) \(record)")
            } else {
                #expect(record.refreshCount == 1)
                #expect(record.revision == revision.next, "\(id) after a tombstone or at first")
            }
            revision = record.revision
            last = record
        }
    }

    private func check(_ record: TimelineRecord, of id: String, at now: Instant) {
        let timeline = record.timeline
        #expect(record.configurationId == id)
        #expect(record.generatedAt <= now, "\(id) is made for the future")
        #expect(!timeline.entries.isEmpty)
        #expect(timeline.entries[0].date <= record.generatedAt, "\(id): the first entry is in force")
        #expect(timeline.entries.dropFirst().allSatisfy { $0.date > record.generatedAt })
        #expect(zip(timeline.entries, timeline.entries.dropFirst()).allSatisfy { $0.date <= $1.date }, "\(id) ascends")
        #expect(timeline.nextUpdate.map { $0 > record.generatedAt } ?? true)
        if case .never = timeline.policy { #expect(timeline.nextUpdate == nil) }
        #expect(record.sources.first?.topic.hasSuffix("widget.configurations") == true)
    }

    private func digest(_ record: TimelineRecord) -> ContentDigest {
        ContentDigest(of: record.timeline, kind: record.kind, family: record.family)
    }

    private func checkHeaders(_ published: Outputs.Published) {
        let record = published.record
        #expect(record.header("ce_specversion") == "1.0")
        #expect(record.header("ce_type") == "tideline.timeline.v1")
        #expect(record.header("ce_subject") == published.configurationId)
        #expect(record.header("ce_time").flatMap { Instant(rfc3339: $0) } != nil)
        #expect(record.header("ce_id")?.hasPrefix(published.configurationId) == true)
        #expect(record.header("content-type") == (published.timeline == nil ? nil : "application/json"))
    }

    private func checkDeadLetter(_ record: Record) {
        for name in ["exception", "message", "topic", "partition", "offset"] {
            #expect(record.header("__streams.errors.\(name)")?.isEmpty == false, "\(name) is said")
        }
    }
}
