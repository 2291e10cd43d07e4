import Messages
import RecordLog
import Testing
import Timelines

@testable import Seeds

/// The judge of announcements, by records that are written here.
@Suite("Was the last visible change announced?")
final class AnnouncementAuditTests {
    private static let start = Instant(milliseconds: 1_772_409_600_000)

    /// Two tokens at first, two more a day.
    private var audit = {
        var reload = WidgetKind.Reload()
        reload.limit = 4
        reload.burst = 2
        return AnnouncementAudit(reload)
    }()
    private var now = start
    private var revision: Revision = 0

    /// Publishes a timeline that shows a text.
    private func publish(
        _ text: String, id: String = "c", recipient: String = "r", kind: String = "K", nextUpdate: Instant? = nil,
        after time: ElapsedTime = .seconds(10)
    ) {
        now = now + time
        revision = revision.next
        let entry = TimelineEntry(.error, at: now, message: .init(text, code: .loading))
        let timeline = Timeline(entries: [entry], policy: .never, nextUpdate: nextUpdate, validUntil: nil)
        let record = TimelineRecord(
            configurationId: id, kind: kind, family: .systemSmall, recipient: recipient, revision: revision,
            generatedAt: now, timeline: timeline, refreshCount: revision.rawValue)
        let digest = ContentDigest(of: timeline, kind: kind, family: .systemSmall)
        audit.take(record, digest, of: id, written: now)
    }

    private func reload(
        _ ids: [String] = ["c"], to revision: Revision? = nil, recipient: String = "r", kind: String = "K",
        reason: ReloadNotification.Reason = .dataChanged
    ) {
        now = now + .seconds(1)
        let budget = ReloadBudget(limit: 4, remaining: 0, resetsAt: now)
        let reload = ReloadNotification(
            recipient: recipient, kind: kind, configurationIds: ids, reason: reason,
            revision: revision ?? self.revision, issuedAt: now, budget: budget)
        audit.take(reload, written: now)
    }

    /// - Parameter ahead: how far ahead clocks were until `rightSince`.
    private func symptoms(
        after time: ElapsedTime = .hours(1), rightSince: Instant? = nil, ahead: ElapsedTime = .zero
    ) -> [String] {
        let wrong = rightSince.map { AnnouncementAudit.WrongClocks(rightSince: $0, furthest: $0 + ahead) }
        return audit.judge(["c"], at: now + time, wrong).map(\.detail)
    }

    private let owed = "c has revision 2, K of r shows 1, and a token is there"

    @Test("what was announced last is the newest timeline")
    func announced() {
        publish("a")
        reload(reason: .configurationChanged)
        publish("b")
        reload()
        #expect(symptoms() == [])
    }

    @Test("a configuration that nobody was told of, with a full bucket or an empty one")
    func never() {
        publish("a")
        #expect(symptoms() == ["c was never announced to K of r"])
    }

    @Test("the last change was not announced though there is a token")
    func owedReload() {
        publish("a")
        reload(reason: .configurationChanged)
        publish("b")
        #expect(symptoms() == [owed])
        publish("a")
        #expect(symptoms() == [], "it is no visible change any more")
    }

    @Test("a change waits for a token, and no longer")
    func held() {
        publish("0")
        reload(reason: .configurationChanged)
        for text in ["1", "2"] {
            publish(text)
            reload()
        }
        publish("3")
        #expect(symptoms(after: .hours(11)) == [], "the bucket is empty, and gets a token in twelve hours")
        #expect(symptoms(after: .hours(13)).count == 1)
        // Clocks that jumped may have filled the bucket, or not: only what came since is certain.
        let jumped = now + .hours(6)
        #expect(symptoms(after: .hours(13), rightSince: jumped) == [])
        #expect(symptoms(after: .hours(19), rightSince: jumped).count == 1)
    }

    @Test("a recipient that came back by itself has seen what stood then")
    func cameBack() {
        publish("a", nextUpdate: Self.start + .minutes(30))
        reload(reason: .configurationChanged)
        publish("b")
        #expect(symptoms(after: .minutes(10)) == [owed])
        #expect(symptoms(after: .minutes(10), rightSince: now, ahead: .minutes(20)) == [owed])
        let ahead = symptoms(after: .minutes(10), rightSince: now, ahead: .minutes(31))
        #expect(ahead == [], "a task whose clock was ahead thought that it had come back")
        #expect(symptoms(after: .minutes(31)) == [])
        now = now + .hours(1)
        publish("c")
        #expect(symptoms() == ["c has revision 3, K of r shows 2, and a token is there"], "it shows b since it came")
    }

    @Test("each recipient and each kind is told for itself", arguments: [("other", "K"), ("r", "Other")])
    func addresses(recipient: String, kind: String) {
        publish("a")
        reload(reason: .configurationChanged)
        publish("a", recipient: recipient, kind: kind)
        reload(to: 1)
        #expect(symptoms() == ["c was never announced to \(kind) of \(recipient)"])
        reload(recipient: recipient, kind: kind, reason: .configurationChanged)
        #expect(symptoms() == [])
    }

    @Test("who was deleted and comes back is announced again")
    func deleted() {
        publish("a")
        reload(reason: .configurationChanged)
        audit.takeTombstone(of: "c")
        publish("a")
        #expect(symptoms() == ["c was never announced to K of r"])
    }

    @Test("a reload that names several says the highest revision of all, and any of these may be meant")
    func several() {
        publish("a")
        reload(["b", "c"], to: 9, reason: .configurationChanged)
        #expect(symptoms() == [])
        publish("b")
        #expect(symptoms() == [owed])
        reload(["b", "c"], to: 9)
        #expect(symptoms() == [])
    }

    @Test("a reload that is read before the timeline that it speaks of, which an open transaction hides, announces it")
    func hidden() {
        publish("a")
        reload(reason: .configurationChanged)
        reload(to: 2)
        publish("b")
        #expect(symptoms() == [])
        publish("c")
        #expect(symptoms().count == 1)
        reload(["b", "c"], to: 9)
        publish("d", after: .seconds(1))
        #expect(symptoms(after: .hours(13)) == [])
        publish("e")
        #expect(symptoms(after: .hours(13)) == ["c has revision 5, K of r shows 2 or 3 or 4, and a token is there"])
    }

    @Test("a reload of an older revision, under way while another timeline came, announces no more than it says")
    func underWay() {
        publish("a")
        reload(reason: .configurationChanged)
        publish("b")
        publish("c")
        publish("b")
        reload(to: 2)
        #expect(symptoms() == [], "it may have loaded b, whichever of the two")
    }
}
