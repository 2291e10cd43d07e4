import RecordLog
import Simulation
import Sinks
import TestSupport
import Testing

@Suite("The topics that the sink of another cluster does not write to")
struct KafkaSinkNamesTests {
    private let source = MemoryCluster()
    private let target = MemoryCluster.another
    private let clock = SteppingClock()

    init() {
        source.createTopic("timelines", partitions: 2)
    }

    @Test(
        "no topic of the application is written to, nor taken for positions, on the cluster that is read",
        arguments: [
            ("timelines", "it is"), ("widgets", "it is"), ("timeline", "its positions would be in timeline.positions"),
            ("app.state", "it is"), ("app.exchange", "it is"), ("app.sinks", "it is"), ("app.pushes", "it is"),
            ("app.operations", "it is"), ("app.reset", "it is"), ("app.other", "it is"),
        ])
    func itself(topic: String, meeting: String) throws {
        source.appendKeyed("timelines", key: "a", value: TimelineSinkContract.timeline("a", revision: 1))
        if topic != "timelines" { source.createTopic(topic, partitions: 1) }
        source.alter(topic, "cleanup.policy", to: "compact")
        let count = source.records(topic).count
        let sink = try copy(to: topic, on: source)
        var settings = SinkSettings(topic: "timelines")
        settings.reading.untilCaughtUp = true
        let runner = try SinkRunner(cluster: source, sink: sink, settings: settings, clock: clock)
        do throws(SinkRunError) {
            _ = try runner.run()
            Issue.record("\(topic) was written to")
        } catch {
            let begin = "cannot write to topic \(topic) at there:9092: \(meeting)"
            #expect(error.description.hasPrefix(begin), "\(error)")
            #expect(error.description.contains("a topic of this application in the same cluster. Name a topic"))
            #expect(error.isOfSettings && error.isFinal)
        }
        #expect(source.records(topic).count == count && source.identity(of: "\(topic).positions") == nil)
    }

    @Test("another cluster may have topics of the same names, and the same one a topic that is for the copy alone")
    func namesElsewhere() throws {
        target.createTopic("app.state", partitions: 1, settings: [.init("cleanup.policy", "compact")])
        #expect(try copy(to: "app.state", on: target).positions(of: "timelines").isEmpty)
        source.createTopic("apps", partitions: 1, settings: [.init("cleanup.policy", "compact")])
        #expect(try copy(to: "apps", on: source).positions(of: "timelines").isEmpty)
    }

    @Test("while the cluster that is read does not say which it is, a name of the application's is not written to")
    func unknownCluster() throws {
        target.createTopic("app.state", partitions: 1, settings: [.init("cleanup.policy", "compact")])
        let away = LogError(.unreachable, name: "_ALL_BROKERS_DOWN", "no broker", isRetriable: true)
        source.inject(away, into: .describeTopics, times: 5_000)
        do throws(SinkError) {
            _ = try copy(to: "app.state", on: target).positions(of: "timelines")
            Issue.record("it was opened")
        } catch {
            #expect(error.isRetriable && error.description.contains("the cluster that timelines are read from"))
        }
        #expect(target.identity(of: "app.state.positions") == nil)
    }

    /// A sink of an application that has topics of these names in the cluster `source`.
    private func copy(to topic: String, on cluster: MemoryCluster) throws(SinkError) -> KafkaSink {
        var settings = KafkaSinkSettings(topic: topic, place: "there:9092", source: "timelines")
        settings.applicationTopics = ["widgets", "timeline.positions"]
        settings.applicationPrefix = "app."
        return try KafkaSink(cluster: cluster, source: source, settings, instance: "one", clock: clock)
    }
}
