import RecordLog
import Simulation
import Sinks
import Testing

@Suite("A topic that is deleted and made again under the sink that reads it")
struct RecreatedUnderSinkTests {
    private let cluster = MemoryCluster()
    private let clock = SteppingClock()
    private let topic = "timelines"
    private let sink = RecordingSink()

    @Test(
        "is read from its beginning though it is filled beyond the position, and though it was read on from there",
        arguments: [true, false])
    func filledBeyond(isReadOn: Bool) throws {
        cluster.createTopic(topic, partitions: 1)
        append(1...14)
        let (summary, notices) = try run { round in
            if round == 5 {
                cluster.recreateTopic(topic)
                append(101...130)
            }
            if round == (isReadOn ? 10 : 5) { clock.now += .seconds(31) }
        }
        #expect(missing(101...130).isEmpty)
        #expect(notices == [startedOver(at: isReadOn ? 30 : 14)])
        #expect(summary.startedOver == 1 && sink.kept[topic]?[0]?.next == Offset(30))
        #expect(sink.kept[topic]?[0]?.before?.offset == Offset(29))
    }

    @Test("is compared within seconds after it was missing, and before it is read on")
    func missingMeanwhile() throws {
        cluster.createTopic(topic, partitions: 1)
        append(1...14)
        let (_, notices) = try run { round in
            switch round {
            case 5:
                cluster.deleteTopic(topic)
                clock.now += .seconds(6)
            case 8:
                cluster.createTopic(topic, partitions: 1)
                append(101...130)
                clock.now += .seconds(5)
            default: break
            }
        }
        #expect(clock.now < .seconds(30), "\(clock.now)")
        #expect(notices.last == startedOver(at: 14), "\(notices)")
        #expect(missing(101...130).isEmpty && sink.writes.count == 44)
    }

    @Test("is told from one whose record before the position was compacted away: then nothing follows")
    func compacted() throws {
        cluster.createTopic(topic, partitions: 1)
        append(1...2)
        append(2...2)
        let (summary, notices) = try run { round in
            switch round {
            case 5:
                append(2...2)
                cluster.compact(topic)
                clock.now += .seconds(31)
            case 10: clock.now += .seconds(31)
            case 15:
                #expect(sink.kept[topic]?[0]?.next == Offset(4))
                cluster.recreateTopic(topic)
                append(101...110)
                clock.now += .seconds(31)
            default: break
            }
        }
        #expect(notices == [startedOver(at: 4)])
        #expect(missing(101...110).isEmpty && summary.startedOver == 1)
    }

    @Test("holds up no partition for one that the new topic does not have")
    func fewerPartitions() throws {
        cluster.createTopic(topic, partitions: 2)
        append(1...14)
        cluster.append(topic, 1, key: "d", value: timeline(15))
        var rounds: [Duration] = []
        var began = Duration.zero
        let (summary, notices) = try run { round in
            rounds.append(clock.now - began)
            if round == 5 {
                cluster.recreateTopic(topic, partitions: 1)
                append(101...130)
            }
            if round >= 5 { clock.now += .seconds(31) }
            began = clock.now
        }
        #expect(missing(101...130).isEmpty && summary.startedOver == 1)
        #expect(notices.contains(startedOver(at: 14)))
        #expect(rounds.dropFirst(5).allSatisfy { $0 < .milliseconds(500) }, "\(rounds)")
    }

    // MARK: - Parts

    private func timeline(_ number: Int) -> String { TimelineSinkContract.timeline("c\(number)", revision: 1) }

    private func append(_ numbers: ClosedRange<Int>) {
        for number in numbers { cluster.append(topic, 0, key: "c\(number)", value: timeline(number)) }
    }

    private func missing(_ numbers: ClosedRange<Int>) -> [Int] {
        numbers.filter { !sink.writes.contains(timeline($0)) }
    }

    private func startedOver(at position: Int64) -> SinkNotice {
        .startedOver(TopicPartition(topic, 0), Offset(position), because: .otherRecord)
    }

    /// - Parameter each: called before each of 25 rounds.
    private func run(_ each: @escaping (_ round: Int) -> Void) throws -> (SinkSummary, [SinkNotice]) {
        var round = 0
        var notices: [SinkNotice] = []
        let summary = try SinkRunner(
            cluster: cluster, sink: sink, settings: SinkSettings(topic: topic), clock: clock,
            shouldStop: {
                round += 1
                each(round)
                return round > 25
            }, notice: { notices.append($0) }
        ).run()
        return (summary, notices)
    }
}
