import RecordLog
import Sinks
import Testing
import Timelines

@Suite("How a sink tells that it is")
struct SinkStatusTests {
    private var status = SinkStatus(name: "s", target: "t", topic: "timelines", at: Instant(milliseconds: 0))

    @Test("the lag of a partition counts from the position, or from the beginning where that is behind it")
    func lag() {
        var status = status
        let (lows, ends): ([Partition: Offset], [Partition: Offset]) = (
            [0: Offset(100), 1: Offset(100), 2: Offset(0)], [0: Offset(150), 1: Offset(150), 2: Offset(7)]
        )
        #expect(status.lag(from: lows, to: ends) == 107)
        status.note([0: SinkPosition(next: Offset(40)), 1: SinkPosition(next: Offset(130))])
        #expect(status.lag(from: lows, to: ends) == 77)
        status.note([0: SinkPosition(next: Offset(160)), 1: SinkPosition(next: Offset(150))])
        #expect(status.lag(from: lows, to: ends) == 7)
        #expect(status.lag(from: [:], to: ends) == 7)
    }
}
