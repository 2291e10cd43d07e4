import Foundation
import Messages
import RecordLog
import Simulation
import TestSupport
import Testing

@testable import Gateway

@Suite("The topics are read into memory")
struct ViewReaderTests {
    @Test("the server is ready when the topics were read to the ends that they had at the start, not before")
    func readiness() throws {
        let cluster = ReadingCluster()
        cluster.memory.publish("a")
        let stage = try ReadingStage(on: cluster)
        #expect(try stage.get("/health/live").status == 200)
        for path in ["/health/ready", "/health/startup", "/v1/timelines", "/v1/timelines/a", "/v1/stream"] {
            let answer = try stage.get(path)
            #expect(answer.status == 503 && answer.header("Retry-After") != nil, "\(path)")
        }
        try stage.start()
        #expect(try stage.get("/health/ready").status == 200 && stage.get("/health/startup").status == 200)
        #expect(try stage.get("/v1/timelines").items("configurationId") == ["a"])
        guard case .ready(let records, _)? = stage.notices.last else {
            Issue.record("not told: \(stage.notices)")
            return
        }
        #expect(records == 1)
    }

    @Test("a transaction is seen when it is committed, and never when it is aborted")
    func committedOnly() throws {
        let cluster = ReadingCluster()
        let stage = try ReadingStage(on: cluster).start()
        for (id, commits) in [("kept", true), ("gone", false)] {
            let producer = try cluster.memory.makeTransactionalProducer(transactionalId: id, clientId: id)
            try producer.initialise(timeout: .zero)
            try producer.begin()
            let other = MemoryCluster()
            other.createTopic("timelines", partitions: 1)
            other.publish(id)
            let record = try #require(other.records("timelines").first)
            try (record.key ?? []).withUnsafeBytes { key in
                try (record.value ?? []).withUnsafeBytes { value in
                    try producer.produce(topic: "timelines", partition: nil, key: key, value: value, headers: [])
                }
            }
            try stage.read()
            #expect(try stage.get("/v1/timelines/\(id)").status == 404)
            if commits { try producer.commit(timeout: .zero) } else { try producer.abort(timeout: .zero) }
            try stage.read()
            #expect(try stage.get("/v1/timelines/\(id)").status == (commits ? 200 : 404))
        }
    }

    @Test("a record that cannot be read is told and counted, and what was in force stays so")
    func unreadable() throws {
        let stage = try ReadingStage().start()
        stage.cluster.publish("a", revision: 4)
        for value in ["{", "[]", #"{"configurationId":"a"}"#, #"{"configurationId":"b","kind":"K"}"#, "\u{0}"] {
            stage.cluster.appendKeyed("timelines", key: "a", value: value)
        }
        stage.cluster.append("timelines", 0, key: nil as String?, value: "{}")
        stage.cluster.appendKeyed("timeline.positions.merged", key: "no-key", value: "{}")
        try stage.read()
        #expect(stage.context.views.counts.unreadable == 7)
        #expect(try stage.get("/v1/timelines/a").object["revision"] as? Int == 4)
        let told = stage.notices.filter { if case .unreadable = $0 { true } else { false } }
        #expect(told.count == 7)
    }

    @Test("new partitions are noticed, and what they hold is served")
    func growth() throws {
        let stage = try ReadingStage(on: ReadingCluster(partitions: 1)).start()
        stage.cluster.addPartitions(to: "timelines", total: 5)
        for number in 0..<20 { stage.cluster.publish("c\(number)") }
        try stage.read()
        #expect(try stage.get("/v1/timelines").items("configurationId").count < 20)
        try stage.look()
        #expect(try stage.get("/v1/timelines").items("configurationId").count == 20)
        #expect(stage.context.views.positions[.timelines].count == 5)
    }

    @Test("a topic that is made anew under its name is read again, and streams are told")
    func recreated() throws {
        let stage = try ReadingStage(on: ReadingCluster(partitions: 1)).start()
        for number in 0..<5 { stage.cluster.publish("old\(number)") }
        try stage.read()
        let stream = try stage.stream("/v1/stream?types=timelines")
        _ = stream.blocks()
        stage.cluster.recreateTopic("timelines")
        stage.cluster.publish("new")
        try stage.look()
        #expect(try stage.get("/v1/timelines").items("configurationId") == ["new"])
        #expect(stage.context.views.counts.recreated == 1)
        let events = stream.events()
        #expect(events.map(\.event).contains("gap") && events.compactMap { $0.text("configurationId") } == ["new"])
    }

    @Test("a topic of as many records as the old one is told apart by the records that come again")
    func recreatedAndFull() throws {
        let stage = try ReadingStage(on: ReadingCluster(partitions: 1)).start()
        for number in 0..<3 { stage.cluster.publish("old\(number)") }
        try stage.read()
        stage.cluster.recreateTopic("timelines")
        try stage.read()
        for number in 0..<6 { stage.cluster.publish("new\(number)") }
        try stage.read()
        #expect(try stage.get("/v1/timelines").items("configurationId").allSatisfy { $0.hasPrefix("new") })
    }

    @Test("an outage is waited for: what is there is served, and ready says so after a while")
    func outage() throws {
        let stage = try ReadingStage().start()
        stage.cluster.publish("a")
        try stage.read()
        let away = LogError(.unreachable, name: "_ALL_BROKERS_DOWN", "all brokers are down", isRetriable: true)
        stage.cluster.inject(away, into: .describeTopics, times: 100)
        stage.cluster.inject(away, into: .connect, times: 100)
        for _ in 0..<3 { try stage.look() }
        #expect(try stage.get("/health/ready").status == 503)
        #expect(try stage.get("/health/live").status == 200 && stage.get("/v1/timelines/a").status == 200)
        stage.cluster.cancelFaults()
        try stage.look()
        #expect(try stage.get("/health/ready").status == 200)
    }

    @Test("missing rights are told with the ACL that would give them")
    func rights() throws {
        let stage = try ReadingStage().start()
        let refused = LogError(
            .notAuthorised, name: "TOPIC_AUTHORIZATION_FAILED", "timeline.reloads[0]: not authorized")
        stage.cluster.inject(refused, into: .poll)
        try stage.read()
        guard case .notAuthorised(let sentence)? = stage.notices.last else {
            Issue.record("not told: \(stage.notices)")
            return
        }
        #expect(sentence.contains("topic timeline.reloads:") && sentence.contains("ACL") && sentence.contains("READ"))
    }

    @Test("a topic that does not exist at the start is named")
    func missing() throws {
        let empty = ReadingCluster()
        let memory = MemoryCluster()
        memory.createTopic("timelines", partitions: 1)
        let stage = try ReadingStage(on: ReadingCluster(memory: memory, clock: empty.clock))
        let error = #expect(throws: LogError.self) { try stage.start() }
        #expect(error?.code == .unknownTopicOrPartition)
        for topic in ["timeline.reloads", "widget.configurations", "timeline.positions.merged"] {
            #expect(error?.message.contains(topic) == true)
        }
    }
}
