import TestSupport
import Testing
import Timelines

@Suite("Which revision a timeline gets, and whether a reload may announce it (T6, L1, L2, L7)")
struct PublicationHistoryTests {
    /// The content of a timeline that shows `shown` from the beginning and `later` from 10:30 on.
    private func digest(_ shown: UInt64, later: UInt64? = nil, due: String? = nil) -> ContentDigest {
        let dates = [at("2026-11-20T09:00:00Z"), at("2026-11-20T10:30:00Z")]
        let entries = zip(dates, [shown, later].compactMap(\.self)).map { date, content in
            ContentDigest.Entry(date: date, content: .init(high: 0, low: content), isStale: false)
        }
        return ContentDigest(
            subject: .init(high: 0, low: 0), entries: entries, nextUpdate: due.map { at("2026-11-20T\($0)Z") })
    }

    private func at(_ time: String) -> Instant {
        TestSupport.at(time.contains("T") ? time : "2026-11-20T\(time)Z")
    }

    /// A history whose recipient displays its first timeline.
    private func displaying(_ digest: ContentDigest) -> PublicationHistory {
        var history = PublicationHistory()
        _ = history.publish(digest, at: at("10:00:00"))
        history.offer()
        #expect(history.announce(1, digest, at: at("10:00:00")) == .settled)
        #expect(history.offered == nil && history.displayedDigest == digest)
        return history
    }

    @Test("The first timeline has revision 1 and is a visible change; the same content keeps the revision")
    func revisions() {
        var history = PublicationHistory()
        #expect(history.displayedDigest == nil)
        let first = history.publish(digest(1), at: at("10:00:00"))
        #expect(first == .init(revision: 1, refreshCount: 1, hasNewContent: true, isVisibleChange: true))
        // Nobody has loaded it yet: it still is to be announced.
        let second = history.publish(digest(1), at: at("10:01:00"))
        #expect(second == .init(revision: 1, refreshCount: 2, hasNewContent: false, isVisibleChange: true))
        let third = history.publish(digest(2), at: at("10:02:00"))
        #expect(third == .init(revision: 2, refreshCount: 3, hasNewContent: true, isVisibleChange: true))
    }

    @Test("A copy that is thrown away leaves no trace")
    func discarded() {
        let history = displaying(digest(1))
        var copy = history
        #expect(copy.publish(digest(2), at: at("10:01:00")).revision == 2)
        #expect(history.revision == 1 && history == displaying(digest(1)) && history != copy)
    }

    @Test("What is published is judged against what is displayed, not against what was published in between")
    func displayed() {
        var history = displaying(digest(1))
        let other = history.publish(digest(2), at: at("10:01:00"))
        #expect(other.isVisibleChange)
        history.offer()
        let back = history.publish(digest(1), at: at("10:02:00"))
        #expect(back == .init(revision: 3, refreshCount: 3, hasNewContent: true, isVisibleChange: false))
        #expect(history.withdrawOffer() && !history.withdrawOffer())
        // The content is displayed, but the revision was not loaded.
        #expect(history.displayed == .init(revision: 1))
    }

    @Test("What shows only after the displayed timeline is due is new content, but no visible change")
    func afterItsEnd() {
        var history = displaying(digest(1, later: 2, due: "10:30:00"))
        let later = history.publish(digest(1, later: 3, due: "10:45:00"), at: at("10:10:00"))
        #expect(later.hasNewContent && !later.isVisibleChange)
        // Against the timeline of 10:10 this would be visible from 10:30 on.
        let again = history.publish(digest(1, later: 4, due: "10:45:00"), at: at("10:20:00"))
        #expect(again.hasNewContent && !again.isVisibleChange)
    }

    @Test("At its due date the recipient comes for the timeline that is published then")
    func renewal() {
        var history = displaying(digest(1, due: "10:15:00"))
        let renewal = history.publish(digest(2, due: "10:30:00"), at: at("10:15:00"))
        #expect(renewal == .init(revision: 2, refreshCount: 2, hasNewContent: true, isVisibleChange: false))
        #expect(history.displayed == .init(revision: 2) && history.displayedDigest == digest(2, due: "10:30:00"))
    }

    @Test("A recipient that came back in between displays the timeline before")
    func cameBack() {
        var history = displaying(digest(1, due: "10:15:00"))
        // Only from 10:30 on it differs.
        let unseen = history.publish(digest(1, later: 2, due: "11:00:00"), at: at("10:10:00"))
        #expect(unseen.hasNewContent && !unseen.isVisibleChange)
        let same = history.publish(digest(1, later: 2, due: "11:00:00"), at: at("10:20:00"))
        #expect(!same.isVisibleChange && history.displayed == .init(revision: 2))
        #expect(history.publish(digest(1, later: 3, due: "11:00:00"), at: at("10:25:00")).isVisibleChange)
        // Where the timeline before is due as well, the recipient comes back for the new one.
        var late = displaying(digest(1, due: "10:15:00"))
        _ = late.publish(digest(1, later: 2, due: "10:20:00"), at: at("10:10:00"))
        #expect(!late.publish(digest(3), at: at("10:25:00")).isVisibleChange)
    }

    @Test("Time alone is no visible change, unless an offer is open")
    func timeAlone() {
        var history = displaying(digest(1))
        #expect(!history.publish(digest(2), at: at("10:05:00"), isTimeAlone: true).isVisibleChange)
        #expect(history.displayed == .init(revision: 2))
        #expect(history.publish(digest(3), at: at("10:06:00")).isVisibleChange)
        history.offer()
        #expect(history.publish(digest(4), at: at("10:07:00"), isTimeAlone: true).isVisibleChange)
    }

    @Test("An announcement of an older revision judges what was published since")
    func announcements() {
        var history = displaying(digest(1))
        _ = history.publish(digest(2, due: "10:30:00"), at: at("10:01:00"))
        history.offer()
        _ = history.publish(digest(3, due: "10:30:00"), at: at("10:02:00"))
        history.offer()
        var different = history
        #expect(different.announce(2, digest(2, due: "10:30:00"), at: at("10:02:00")) == .visibleChange)
        #expect(different.offered == 3 && different.displayed == .init(revision: 2, digest: digest(2, due: "10:30:00")))
        // An older one that comes late changes nothing.
        #expect(different.announce(1, digest(1), at: at("10:03:00")) == .settled)
        #expect(different.displayed.revision == 2)
        var same = history
        #expect(same.announce(2, digest(3, due: "10:30:00"), at: at("10:02:00")) == .noVisibleChange)
        // What was announced is due: the recipient has come back since, and displays the newest one.
        var due = history
        #expect(due.announce(2, digest(2, due: "10:30:00"), at: at("10:40:00")) == .noVisibleChange)
        #expect(due.displayed == .init(revision: 3))
        #expect(history.announce(3, digest(3, due: "10:30:00"), at: at("10:02:00")) == .settled)
        #expect(history.offered == nil && history.displayed == .init(revision: 3))
    }

    @Test("A change of the content rules alone is no visible change")
    func contentRules() {
        var history = displaying(digest(1, due: "11:00:00"))
        history.compareNewest(as: digest(5))
        #expect(history.remade == digest(5, due: "11:00:00") && history.displayedDigest == history.remade)
        let renewed = history.publish(digest(5, due: "11:00:00"), at: at("10:10:00"))
        #expect(renewed.hasNewContent && !renewed.isVisibleChange && history.remade == nil)
        // Displayed content of before is made by the new rules, too; but not while a change is still to be announced.
        var different = displaying(digest(1, later: 2, due: "10:30:00"))
        _ = different.publish(digest(1, later: 3, due: "10:45:00"), at: at("10:10:00"))
        #expect(different.displayed.digest == digest(1, later: 2, due: "10:30:00"))
        var offered = different
        offered.offer()
        different.compareNewest(as: digest(6))
        #expect(different.displayed == .init(revision: 1, digest: digest(6, due: "10:30:00")))
        offered.compareNewest(as: digest(6))
        #expect(offered.displayed.digest == digest(1, later: 2, due: "10:30:00"))
    }

    @Test("Another recipient begins with nothing, a deleted configuration goes on with its revision")
    func forgetting() {
        var history = displaying(digest(1))
        history.offer()
        history.forgetRecipient()
        #expect(history.displayed == .nothing && history.offered == nil && history.revision == 1)
        history.forgetTimeline()
        #expect(history.newest == nil && history.refreshCount == 0)
        #expect(history.announce(1, digest(1), at: at("10:05:00")) == .settled)
        let back = history.publish(digest(1), at: at("10:10:00"))
        #expect(back == .init(revision: 2, refreshCount: 1, hasNewContent: true, isVisibleChange: true))
        history.moveNewest(to: at("09:59:00"))
        #expect(history.newest?.at == at("09:59:00"))
        let stored = PublicationHistory(
            revision: history.revision, refreshCount: history.refreshCount, newest: history.newest,
            displayed: history.displayed, offered: history.offered, remade: history.remade)
        #expect(stored == history)
    }
}
