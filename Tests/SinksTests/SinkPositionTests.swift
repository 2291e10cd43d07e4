import Foundation
import RecordLog
import Simulation
import Sinks
import Testing

/// A position knows of which cluster and which topic it is one.
@Suite("The positions of a sink of timelines")
struct SinkPositionTests {
    private let topic = "timelines"

    private func cluster(_ ids: [String], id: String = "one") -> MemoryCluster {
        let cluster = MemoryCluster(settings: MemoryCluster.Settings(id: id))
        cluster.createTopic(topic, partitions: 1)
        for id in ids { cluster.append(topic, 0, key: id, value: #"{"configurationId":"\#(id)","revision":1}"#) }
        return cluster
    }

    @discardableResult
    private func run(
        _ cluster: MemoryCluster, _ directory: TemporaryDirectory, acceptsMovedCluster: Bool = false
    ) throws -> (summary: SinkSummary, notices: [SinkNotice]) {
        var settings = SinkSettings(topic: topic)
        settings.reading.untilCaughtUp = true
        settings.reading.acceptsMovedCluster = acceptsMovedCluster
        var notices: [SinkNotice] = []
        let runner = try SinkRunner(
            cluster: cluster, sink: FilesSink(directory: directory.path), settings: settings, clock: SteppingClock(),
            notice: { notices.append($0) })
        return (try runner.run(), notices)
    }

    @Test("a topic that was deleted and made again is read from its beginning, though it is longer than before")
    func recreated() throws {
        let directory = try TemporaryDirectory()
        try run(cluster(["a", "b", "c"]), directory)
        let (summary, notices) = try run(cluster(["d", "e", "f", "g", "h"]), directory)
        #expect(directory.files == ["a", "b", "c", "d", "e", "f", "g", "h"].map { "\($0).json" })
        #expect(notices == [.startedOver(TopicPartition(topic, 0), Offset(3), because: .otherRecord)])
        #expect(summary.startedOver == 1 && summary.written == 5)
        #expect(try run(cluster(["d", "e", "f", "g", "h"]), directory).summary.records == 0)
    }

    @Test("another key, another value and another time at the same place are another topic's")
    func fingerprints() throws {
        for other in [("a", "{}", 0), ("b", #"{"revision":1}"#, 0), ("a", #"{"revision":1}"#, 1)] {
            let directory = try TemporaryDirectory()
            let runs = [("a", #"{"revision":1}"#, 0), other]
            var notices: [SinkNotice] = []
            for (key, value, second) in runs {
                let cluster = MemoryCluster(settings: MemoryCluster.Settings(id: "one"))
                cluster.createTopic(topic, partitions: 1)
                cluster.append(
                    topic, 0, key: key, value: value, timestamp: Instant(milliseconds: 1_000_000 + Int64(second)))
                notices += try run(cluster, directory).notices
            }
            #expect(
                notices.contains(.startedOver(TopicPartition(topic, 0), Offset(1), because: .otherRecord)), "\(other)")
        }
    }

    @Test("positions of another cluster are refused by name; once accepted, the records before them decide")
    func movedCluster() throws {
        let directory = try TemporaryDirectory()
        try run(cluster(["a", "b"]), directory)
        let error = #expect(throws: SinkRunError.self) { try run(cluster(["a", "b", "c"], id: "two"), directory) }
        #expect(error == .otherCluster(kept: "one", present: "two"))
        for part in ["cluster one", "cluster two", "--set cluster.moved=accept"] {
            #expect(error?.description.contains(part) == true, "\(part)")
        }
        let (summary, notices) = try run(cluster(["a", "b", "c"], id: "two"), directory, acceptsMovedCluster: true)
        #expect(notices.isEmpty && summary.records == 1 && summary.startedOver == 0)
        // From now on it is at home there.
        #expect(try run(cluster(["a", "b", "c"], id: "two"), directory).summary.records == 0)
        #expect(throws: SinkRunError.self) { try run(cluster(["a", "b", "c"]), directory) }
    }

    @Test("a record before the position that compaction has removed tells nothing")
    func compacted() throws {
        let directory = try TemporaryDirectory()
        let cluster = cluster(["a", "b", "b"])
        try run(cluster, directory)
        cluster.append(topic, 0, key: "b", value: #"{"configurationId":"b","revision":2}"#)
        cluster.clean(topic)
        let (summary, notices) = try run(cluster, directory)
        #expect(notices.isEmpty && summary.records == 1, "\(notices)")
    }

    @Test("positions that an earlier release kept are read on, and what this one keeps is what it read")
    func earlierRelease() throws {
        let directory = try TemporaryDirectory()
        let cluster = cluster(["a", "b", "c"])
        try run(cluster, directory)
        let file = directory.path + "/.tideline-offsets.json"
        try Data(#"{"topics":{"timelines":{"0":{"begun":2,"next":2}}}}"#.utf8).write(to: URL(filePath: file))
        let (summary, notices) = try run(cluster, directory)
        #expect(notices.isEmpty && summary.records == 1)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains(#""cluster":"one""#) && text.contains(#""offset":2"#), "\(text)")
    }
}

extension MemoryCluster.Settings {
    fileprivate init(id: String) {
        self.init()
        clusterId = id
    }
}
