import Observability
import Synchronization
import Testing

@testable import tideline

/// Lines of librdkafka that repeat one another: written once, then counted.
@Suite struct RepeatedLinesTests {
    @Test("of 60,000 lines in four seconds the first is written, and their number after 1 s, 3 s and at the end")
    func storm() {
        var lines = RepeatedLines()
        var written = 0
        var told: [RepeatedLines.Withheld] = []
        for step in 0..<60_000 {
            let now = Duration.seconds(4) * step / 60_000
            if lines.take("Metadata request failed (\(step)ms)", level: 4, facility: "M", now: now) { written += 1 }
            told += lines.due(now: now)
        }
        told += lines.due(now: nil)
        #expect(written == 1)
        #expect(told.count == 3 && told.map(\.count).reduce(0, +) == 59_999, "\(told)")
        #expect(told.last?.line == "Metadata request failed (59999ms)")
        #expect(told.map(\.lasted).map { $0.components.seconds } == [1, 3, 3], "\(told)")
    }

    @Test("what came once is said once; after five quiet seconds a line is new again")
    func quiet() {
        var lines = RepeatedLines()
        let isWritten = lines.take("x", level: 4, facility: "F", now: .zero)
        #expect(isWritten)
        let none = lines.due(now: .seconds(2))
        #expect(none.isEmpty)
        let isRepeatWritten = lines.take("x", level: 4, facility: "F", now: .seconds(3))
        #expect(!isRepeatWritten)
        let one = lines.due(now: .seconds(3))
        #expect(one.map(\.count) == [1])
        let nothing = lines.due(now: .seconds(60))
        #expect(nothing.isEmpty)
        let isWrittenAgain = lines.take("x", level: 4, facility: "F", now: .seconds(60))
        #expect(isWrittenAgain)
        let last = lines.due(now: nil)
        #expect(last.isEmpty)
    }

    @Test("lines that are all of different kinds are written up to the 65th, then counted")
    func manyKinds() {
        var lines = RepeatedLines()
        let written = (0..<10_000).count { number in
            lines.take("broker b\(number) is away", level: 4, facility: "F", now: .zero)
        }
        #expect(written == 65)
        let told = lines.due(now: .seconds(1))
        #expect(told.map(\.count) == [9_935] && told.first?.line == "broker b9999 is away", "\(told)")
    }

    @Test(
        "numbers alone make no other kind; names and other sources do",
        arguments: [
            ("F", "size 17", "F", "size -9", true),
            ("F", "(after 5ms in state UP)", "F", "(after 17ms in state UP)", true),
            ("F", "t1[0] is away", "F", "t2[0] is away", false), ("F", "a", "G", "a", false),
            ("F", "127.0.0.1:9092 failed", "F", "127.0.0.1:9093 failed", false),
        ])
    func kinds(first: String, line: String, second: String, other: String, isSame: Bool) {
        var lines = RepeatedLines()
        let isFirstWritten = lines.take(line, level: 4, facility: first, now: .zero)
        let isOtherWritten = lines.take(other, level: 4, facility: second, now: .zero)
        #expect(isFirstWritten && isOtherWritten == !isSame)
    }

    @Test("a server that fails every request for metadata is a broker that is away: one line, and one when it is back")
    func metadata() {
        let world = BrokerWatchWorld()
        let watch = world.makeWatch()
        let line =
            "[thrd:main]: 127.0.0.1:9092/bootstrap: Metadata request failed: application requested: Local: Required "
            + "feature not supported by broker (0ms): Permanent"
        for _ in 0..<50_000 { watch.log(level: 4, facility: "METADATA", message: line) }
        world.rounds.withLock { $0 = [{ $0.pass(.seconds(2)) }, { $0.pass(.seconds(10)) }] }
        #expect(world.run())
        watch.tellRepeats(isLast: true)
        let lines = world.lines.withLock { $0 }
        #expect(lines.count == 2, "\(lines)")
        #expect(lines.first?.contains("cannot reach broker: Metadata request failed") == true, "\(lines)")
        #expect(lines.last?.contains("answers again after 12 s") == true, "\(lines)")
        #expect(lines.last?.contains("withheldLines=50000") == true, "\(lines)")
    }
}
