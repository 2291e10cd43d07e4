import RecordLog
import Sinks
import Testing

@testable import tideline

@Suite("Sinks of one process that fail and begin again")
struct SinkLivesTests {
    private final class Clock: BlockingClock {
        var now = Duration.zero
        func wait(for duration: Duration) { now += duration }
    }

    private let clock = Clock()
    private let lives = SinkLives(count: 2, beginAgain: true)

    private func failure(_ reason: String, isFinal: Bool = false) -> SinkFailure {
        SinkFailure(CommandFailure(.software, reason), isFinal: isFinal)
    }

    /// Runs the first sink, whose attempts end as they are told, one after the other; `nil` ends in order.
    ///
    /// - Parameter begins: called with the number of each attempt but the first.
    /// - Returns: what followed from each failure.
    private func run(
        _ lives: SinkLives, random: Double = 0, shouldStop: () -> Bool = { false },
        _ ends: [SinkFailure?], begins: (Int) -> Void = { _ in }
    ) -> [SinkLives.Verdict] {
        var verdicts: [SinkLives.Verdict] = []
        var attempts = 0
        lives.run(
            0, clock: clock, random: { random }, shouldStop: shouldStop, failed: { verdicts.append($1) },
            begins: { begins(attempts) }
        ) { () throws(SinkFailure) in
            attempts += 1
            if let failure = ends[attempts - 1] { throw failure }
        }
        #expect(attempts == ends.count)
        return verdicts
    }

    @Test("a sink that fails while another goes on begins again, after pauses that grow to five minutes")
    func pauses() {
        var ends: [SinkFailure?] = Array(repeating: failure("away"), count: 9)
        ends.append(nil)
        var begun: [Duration] = []
        let verdicts = run(lives, ends, begins: { _ in begun.append(clock.now) })
        let pauses = verdicts.map { if case .again(let pause, _) = $0 { pause } else { Duration.zero } }
        // Without luck a pause is half as long as it may be.
        let full = [5, 10, 20, 40, 80, 160, 300, 300, 300].map { Duration.seconds($0) }
        #expect(pauses.map { $0 * 2 } == full)
        #expect(zip(begun, [.zero] + begun).map { $0 - $1 } == pauses)
    }

    @Test("pauses differ by chance, so that the sinks of many processes do not come back at once")
    func jitter() {
        #expect(run(lives, random: 0.5, [failure("away"), nil]) == [.again(after: .seconds(3.75), isNews: true)])
    }

    @Test("a failure that repeats the one before is no news; another reason is")
    func news() {
        let verdicts = run(lives, [failure("a"), failure("a"), failure("b"), nil])
        let news = verdicts.map { if case .again(_, let isNews) = $0 { isNews } else { false } }
        #expect(news == [true, false, true])
    }

    @Test("a failure that no attempt mends ends the sink; the others go on")
    func lasting() {
        #expect(run(lives, [failure("away"), failure("other cluster", isFinal: true)]).last == .ended)
        #expect(!lives.isOver)
    }

    @Test("where no sink goes on the process is over, and none that pauses begins again")
    func over() {
        let alone = SinkLives(count: 1, beginAgain: true)
        #expect(run(alone, [failure("away")]) == [.over] && alone.isOver)
        // The other one fails while the first pauses.
        var asked = 0
        let verdicts = run(
            lives,
            shouldStop: {
                asked += 1
                if asked == 3 {
                    lives.run(
                        1, clock: clock, random: { 0 }, shouldStop: { false },
                        failed: { _, verdict in #expect(verdict == .over) }, begins: {}
                    ) { () throws(SinkFailure) in throw failure("away, too") }
                }
                return false
            }, [failure("away")])
        #expect(verdicts == [.again(after: .seconds(2.5), isNews: true)] && lives.isOver)
        #expect(clock.now < .seconds(1))
    }

    @Test("a run that is to come to an end begins nothing again")
    func once() {
        #expect(run(SinkLives(count: 2, beginAgain: false), [failure("away")]) == [.ended])
    }

    @Test("who is told to stop during a pause stops")
    func stops() {
        var asked = 0
        let verdicts = run(
            lives,
            shouldStop: {
                asked += 1
                return asked > 4
            }, [failure("away")])
        #expect(verdicts.count == 1 && clock.now < .seconds(1))
    }

    @Test(
        "who is told to stop before it has read again stays failed; who has read ends well", arguments: [false, true])
    func endsUnread(reads: Bool) {
        var attempts = 0
        let isWell = lives.run(
            0, clock: clock, random: { 0 }, shouldStop: { false }, failed: { _, _ in }, begins: {}
        ) { () throws(SinkFailure) in
            attempts += 1
            if attempts == 1 { throw failure("away") }
            if reads { _ = lives.noteReading(0, now: clock.now) }
        }
        #expect(attempts == 2 && isWell == reads)
    }

    @Test("who never failed ends well, whether it has read or not; who stays ended does not")
    func endsWell() {
        func run(_ lives: SinkLives, _ ends: SinkFailure?) -> Bool {
            lives.run(
                0, clock: clock, random: { 0 }, shouldStop: { false }, failed: { _, _ in }, begins: {}
            ) { () throws(SinkFailure) in
                if let ends { throw ends }
            }
        }
        #expect(run(lives, nil))
        #expect(!run(SinkLives(count: 1, beginAgain: true), failure("away")))
    }

    @Test("who has read for a minute is mended, which is said once; the next pause is short again")
    func mended() {
        var told: [Duration] = []
        let verdicts = run(lives, [failure("a"), failure("a"), failure("a"), nil]) { attempt in
            if attempt == 1 {
                // It reads, but not for long enough.
                #expect(lives.noteReading(0, now: clock.now) == nil)
                #expect(lives.noteReading(0, now: clock.now + .seconds(59)) == nil)
            } else {
                for second in [0, 59, 60, 61] {
                    if let away = lives.noteReading(0, now: clock.now + .seconds(second)) { told.append(away) }
                }
                clock.now += .seconds(61)
            }
        }
        let pauses = verdicts.map { if case .again(let pause, _) = $0 { pause } else { Duration.zero } }
        #expect(pauses == [.seconds(2.5), .seconds(5), .seconds(2.5)])
        #expect(told == [.seconds(7.5), .seconds(2.5)])
        #expect(verdicts.last == .again(after: .seconds(2.5), isNews: true))
    }
}
