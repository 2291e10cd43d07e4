import RecordLog
import Testing

@testable import tideline

@Suite("How long records wait, told from the ends that were seen")
struct PartitionLagTests {
    @Test("a record in a topic that was quiet for hours has waited since the last look, not for hours")
    func quiet() {
        var lag = PartitionLag()
        #expect(lag.observe(end: 10, next: 10, lastAge: .seconds(7200), at: .seconds(0)) == .zero)
        #expect(lag.observe(end: 10, next: 10, lastAge: .seconds(7205), at: .seconds(5)) == .zero)
        #expect(lag.observe(end: 11, next: 10, lastAge: .seconds(7210), at: .seconds(10)) == .seconds(5))
        #expect(lag.observe(end: 11, next: 11, lastAge: .seconds(5), at: .seconds(15)) == .zero)
    }

    @Test("who keeps up under a steady load is behind by one look, who stands still by more and more")
    func steady() {
        var lag = PartitionLag()
        for step in 1...20 {
            let time = lag.observe(
                end: Offset(Int64(step * 100)), next: Offset(Int64(step * 100 - 10)), lastAge: .milliseconds(200),
                at: .seconds(step * 5))
            #expect(time == .milliseconds(200))
        }
        var last = Duration.zero
        for step in 21...30 {
            let time = lag.observe(
                end: Offset(Int64(step * 100)), next: 1990, lastAge: .seconds((step - 20) * 5), at: .seconds(step * 5))
            #expect(time.map { $0 > last } == true)
            last = time ?? .zero
        }
        #expect(last == .seconds(50))
    }

    @Test(
        "at a start with records that wait the age of the last one that was read counts; before that nothing is known")
    func start() {
        var lag = PartitionLag()
        #expect(lag.observe(end: 1000, next: 0, lastAge: nil, at: .seconds(0)) == nil)
        #expect(lag.observe(end: 1000, next: 400, lastAge: .seconds(900), at: .seconds(5)) == .seconds(900))
        #expect(lag.observe(end: 1000, next: 1000, lastAge: .seconds(1), at: .seconds(10)) == .zero)
    }

    @Test("a partition that nobody reads for days takes no more memory than one of an hour")
    func bounded() {
        var lag = PartitionLag()
        for step in 0..<5000 {
            _ = lag.observe(end: Offset(Int64(step)), next: 0, lastAge: .seconds(step * 5), at: .seconds(step * 5))
        }
        #expect(lag.observe(end: 6000, next: 0, lastAge: .seconds(30_000), at: .seconds(25_000)) == .seconds(25_000))
        #expect(lag.ahead.count <= 720)
    }
}
