import Access
import Foundation
import Messages
import RecordLog
import Simulation
import Synchronization
import TestSupport
import Timelines

@testable import Gateway
@testable import HTTPServer

/// The routes on topics in memory, without sockets: a request goes in, its answer comes out.
final class GatewayStage: Sendable {
    let cluster: MemoryCluster
    let context: GatewayContext
    let clock: StageClock
    let writer: LogRecordWriter
    let router: GatewayRouter

    init(
        tokens: [AccessSettings.Token] = [], jwt: AccessSettings.JWT? = nil, kinds: WidgetKinds = WidgetKinds(),
        change: (inout GatewaySettings) -> Void = { _ in }
    ) throws {
        var settings = GatewaySettings(topics: TopicNames(), application: "tideline", kinds: kinds)
        change(&settings)
        let topics = ManualClock()
        let memory = MemoryCluster(clock: topics)
        let names = settings.topics
        for topic in names.inputs + names.outputs { memory.createTopic(topic, partitions: 4) }
        memory.createTopic(StageReloads.topic, partitions: 4)
        cluster = memory
        clock = StageClock(topics)
        writer = LogRecordWriter { memory.makeReportingProducer(clientId: "test") }
        context = GatewayContext(
            writer: writer, reloads: StageReloads(),
            authenticator: try Authenticator(AccessSettings(tokens: tokens, jwt: jwt)), settings: settings,
            clock: clock)
        for topic in ViewedTopic.allCases {
            for partition in 0..<Partition(4) { context.views.begin(topic, partition, at: 0) }
        }
        context.views.markReady()
        router = GatewayRouter(GatewayRouter.routes(context), context: context)
    }

    // MARK: - Requests

    /// The answer to a request, which must come without anything else happening.
    @discardableResult
    func send(
        _ method: String, _ target: String, _ body: String? = nil, headers: [String: String] = [:]
    ) throws -> HTTPResponse {
        guard let response = try begin(method, target, body, headers: headers)() else {
            throw StageError("\(method) \(target) has no answer yet")
        }
        return response
    }

    /// Sends a request that may be answered later.
    ///
    /// - Returns: a closure that gives the answer; `nil` as long as there is none.
    func begin(
        _ method: String, _ target: String, _ body: String? = nil, headers: [String: String] = [:]
    ) throws -> () -> HTTPResponse? {
        var fields = headers.sorted { $0.key < $1.key }.map { HTTPField($0.key, $0.value) }
        if body != nil, headers["Content-Type"] == nil { fields.append(HTTPField("Content-Type", "application/json")) }
        let request = try HTTPRequest(
            method: method, target: target, headers: HTTPHeaders(fields), body: Array((body ?? "").utf8))
        let recorder = AnswerRecorder.current
        func noted(_ response: HTTPResponse) -> HTTPResponse {
            recorder?.note(method, target, response)
            return response
        }
        switch router.respond(request) {
        case .now(let response): return { noted(response) }
        case .events(let stream):
            let response = HTTPResponse(200, headers: stream.headers, body: .empty)
            return { noted(response) }
        case .later(let answer):
            // Nobody resumes a connection that was never set aside, so any address will do.
            guard let nowhere = OpaquePointer(bitPattern: 1) else { throw StageError("no address") }
            let pending = PendingAnswer(nowhere)
            answer(HTTPCompletion(pending))
            return { pending.takeResponse().map(noted) }
        }
    }

    // MARK: - Topics

    var topics: TopicNames { context.settings.topics }

    /// Lets the views read what the topics hold beyond what they have read.
    func pump() throws {
        let viewed: [(ViewedTopic, String)] = [
            (.configurations, topics.configurations), (.positions, topics.positions), (.timelines, topics.timelines),
            (.merged, topics.positionsMerged), (.reloads, topics.reloads),
        ]
        for (topic, name) in viewed {
            for record in cluster.records(name) {
                guard !context.views.hasRead(topic, record.partition, record.offset) else { continue }
                let change = try record.withView { view in
                    try context.views.apply(view, of: topic, now: clock.wall)
                }
                if let change { context.waiters.didChange(change) }
            }
        }
    }

    /// Puts a timeline of two entries into its topic, made of these records, and lets the views read it.
    func publishTimeline(
        _ id: String, recipient: String? = nil, kind: String = "AgendaWidget", revision: Int = 1,
        sources: [RecordPlace] = []
    ) throws {
        let list = sources.map {
            #"{"topic":"\#($0.topic)","partition":\#($0.partition.rawValue),"offset":\#($0.offset.rawValue)}"#
        }
        let value = """
            {"configurationId":"\(id)","kind":"\(kind)","family":"systemMedium","recipient":"\(recipient ?? id)",\
            "revision":\(revision),"generatedAt":"2026-01-01T00:00:00Z","entries":[\
            {"id":"tick/1","date":"2026-01-01T00:00:00Z","phase":"tick","message":"one","messageCode":"loading"},\
            {"id":"tick/2","date":"2026-01-01T01:00:00Z","phase":"tick"},\
            {"id":"tick/3","date":"2026-01-01T02:00:00Z","phase":"tick"}],\
            "refreshCount":1,"policy":{"type":"after","date":"2026-01-01T03:00:00Z"},\
            "nextUpdate":"2026-01-01T03:00:00Z","sources":[\(list.joined(separator: ","))]}
            """
        cluster.appendKeyed(topics.timelines, key: id, value: value)
        try pump()
    }
}

struct StageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The cluster's clock as the gateway's.
final class StageClock: GatewayClock {
    let topics: ManualClock

    init(_ topics: ManualClock) { self.topics = topics }

    var wall: Instant { topics.now }
    var now: Duration { .milliseconds(topics.now.milliseconds) }
}

/// Requests for reloads in a form of the test's own.
struct StageReloads: ReloadRequests {
    static let topic = "exchange"

    func make(
        kind: String, recipients: [String]?, completion: @Sendable (Result<[OutgoingRecord], LogError>) -> Void
    ) {
        let values = recipients.map { $0.map { "\(kind) for \($0)" } } ?? ["\(kind) for all"]
        completion(
            .success(values.map { OutgoingRecord(topic: Self.topic, key: [], value: Array($0.utf8), partition: 0) }))
    }
}

extension HTTPResponse {
    var text: String { String(decoding: body.bytes.array, as: UTF8.self) }

    /// The members of the JSON object that it holds.
    var json: NSDictionary {
        get throws {
            guard let object = try JSONSerialization.jsonObject(with: Data(body.bytes.array)) as? NSDictionary else {
                throw StageError("no object: \(text)")
            }
            return object
        }
    }

    /// The fields that a problem names.
    var refusedFields: [String] {
        get throws { (try json["errors"] as? [NSDictionary] ?? []).compactMap { $0["field"] as? String } }
    }
}

extension Record {
    /// Lends the record as the consumer's batch does.
    func withView<Result>(_ body: (RecordView) throws -> Result) rethrows -> Result {
        try (key ?? []).withUnsafeBytes { key in
            try (value ?? []).withUnsafeBytes { value in
                try body(
                    RecordView(
                        topic: 0, partition: partition, offset: offset, timestamp: timestamp,
                        key: self.key == nil ? nil : key, value: self.value == nil ? nil : value, handle: nil))
            }
        }
    }

    var text: String? { value.map { String(decoding: $0, as: UTF8.self) } }
}
