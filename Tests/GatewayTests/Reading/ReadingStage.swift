import Access
import Foundation
import Messages
import RecordLog
import Simulation
import TestSupport
import Timelines

@testable import Gateway
@testable import HTTPServer

/// A server on topics in memory: its own thread's work is done step by step, requests go to the router without sockets.
/// Several stages may share a cluster, as servers do.
final class ReadingStage {
    let cluster: MemoryCluster
    let clock: ReadingClock
    let context: GatewayContext
    let reader: ViewReader
    let router: GatewayRouter
    let rounds: ViewWatch.Rounds
    private let watch: ViewWatch
    private let told = Told()

    var notices: [ViewNotice] { told.notices }

    private final class Told {
        var notices: [ViewNotice] = []
    }

    /// - Parameters:
    ///   - cluster: that of another stage, which has the topics already.
    ///   - cache: the path of a cache file.
    init(
        on cluster: ReadingCluster = ReadingCluster(), cache: String? = nil, tokens: [AccessSettings.Token] = [],
        jwt: AccessSettings.JWT? = nil, kinds: WidgetKinds = WidgetKinds(),
        change: (inout GatewaySettings) -> Void = { _ in }
    ) throws {
        var settings = GatewaySettings(topics: TopicNames(), application: "tideline", kinds: kinds)
        change(&settings)
        self.cluster = cluster.memory
        clock = ReadingClock(cluster.clock)
        context = GatewayContext(
            writer: NoWriter(), authenticator: try Authenticator(AccessSettings(tokens: tokens, jwt: jwt)),
            settings: settings,
            clock: clock)
        watch = ViewWatch(context)
        rounds = ViewWatch.Rounds(try cluster.memory.makeAdmin())
        let told = self.told
        reader = try ViewReader(
            context, cluster: cluster.memory, watch: watch, cache: try cache.map { try ViewCache(path: $0) },
            requests: PatientRequests(clock: clock, shouldStop: { false }), notice: { told.notices.append($0) })
        router = GatewayRouter(GatewayRouter.routes(context), context: context)
    }

    /// Starts to read, and reads what is there.
    @discardableResult
    func start() throws -> ReadingStage {
        guard try reader.start() else { throw StageFailure("was stopped") }
        try read()
        return self
    }

    /// Reads all that is committed.
    func read() throws {
        var before = -1
        while context.views.counts.records != before {
            before = context.views.counts.records
            try reader.step(timeout: .zero)
        }
        // The ends come when there is nothing else.
        try reader.step(timeout: .zero)
    }

    /// Lets the watch look at the topics, and the reader act on it.
    func look() throws {
        clock.advance(by: ViewWatch.interval)
        rounds.step(watch)
        try read()
    }

    func close() { reader.close() }

    // MARK: - Requests

    func get(_ target: String, token: String? = nil, headers: [String: String] = [:]) throws -> Answer {
        try send("GET", target, token: token, headers: headers)
    }

    func send(
        _ method: String, _ target: String, token: String? = nil, headers: [String: String] = [:]
    ) throws -> Answer {
        switch try respond(method, target, token: token, headers: headers) {
        case .now(let response): return Answer(response)
        case .events, .later: throw StageFailure("\(method) \(target) is not answered at once")
        }
    }

    /// Opens a stream of events.
    func stream(_ target: String, token: String? = nil, headers: [String: String] = [:]) throws -> StreamReader {
        guard case .events(let stream) = try respond("GET", target, token: token, headers: headers) else {
            throw StageFailure("\(target) is no stream: \(try get(target, token: token, headers: headers).text)")
        }
        return StreamReader(stream)
    }

    private func respond(
        _ method: String, _ target: String, token: String?, headers: [String: String]
    ) throws -> HTTPAnswer {
        var fields = headers.map { HTTPField($0.key, $0.value) }
        if let token { fields.append(HTTPField("Authorization", "Bearer \(token)")) }
        return router.respond(try HTTPRequest(method: method, target: target, headers: HTTPHeaders(fields)))
    }
}

/// Topics in memory, for one or more stages.
struct ReadingCluster {
    let memory: MemoryCluster
    let clock: ManualClock

    init(memory: MemoryCluster, clock: ManualClock) {
        self.memory = memory
        self.clock = clock
    }

    init(partitions: Int32 = 3) {
        clock = ManualClock(at("08:00"))
        memory = MemoryCluster(clock: clock)
        for topic in TopicNames().viewed.values.sorted() { memory.createTopic(topic, partitions: partitions) }
    }
}

/// A manual clock as all clocks of a server.
final class ReadingClock: GatewayClock, BlockingClock {
    private let manual: ManualClock

    init(_ manual: ManualClock) { self.manual = manual }

    var wall: Instant { manual.now }
    var now: Duration { .milliseconds(manual.now.milliseconds) }

    func wait(for duration: Duration) { manual.advance(by: duration) }
    func advance(by duration: Duration) { manual.advance(by: duration) }
}

/// The reading routes write nothing.
private struct NoWriter: RecordWriter {
    func write(
        _ records: [OutgoingRecord], completion: @escaping @Sendable (Result<[RecordPlace], LogError>) -> Void
    ) {
        completion(.failure(LogError(.unsupported, name: "NO_WRITER", "nothing is written here")))
    }
}

struct StageFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// An answer with its body read as JSON.
struct Answer {
    let status: Int
    let fields: [HTTPField]
    let bytes: [UInt8]

    init(_ response: HTTPResponse) {
        status = response.status
        fields = response.headers
        bytes = response.body.bytes.array
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    func header(_ name: String) -> String? { fields.first { $0.name.lowercased() == name.lowercased() }?.value }

    /// The members of the body; empty if it is no object.
    var object: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]) ?? [:] }

    /// One text of each of the `items`.
    func items(_ key: String) -> [String] {
        (object["items"] as? [[String: Any]] ?? []).compactMap { $0[key] as? String }
    }

    /// The fields that a problem names.
    var wrongFields: [String] {
        (object["errors"] as? [[String: Any]] ?? []).compactMap { $0["field"] as? String }
    }
}

/// Reads a stream that has no connection, as its server would.
final class StreamReader {
    let stream: EventStream
    private var text = ""

    init(_ stream: EventStream) { self.stream = stream }

    /// The blocks that came since the last call.
    func blocks() -> [Block] {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
        defer { room.deallocate() }
        while true {
            let count = stream.read(into: room)
            guard count > 0 else { break }
            text += String(decoding: room[..<count], as: UTF8.self)
        }
        defer { text = "" }
        return text.components(separatedBy: "\n\n").filter { !$0.isEmpty }.map { Block($0) }
    }

    /// The events, without comments and blocks of an id alone.
    func events() -> [Block] { blocks().filter { $0.event != nil } }

    struct Block {
        let event: String?
        let id: String?
        let data: [String: Any]
        let isComment: Bool

        init(_ text: String) {
            var fields: [String: String] = [:]
            for line in text.split(separator: "\n") {
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                let value = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
                fields[String(parts[0])] = (fields[String(parts[0])].map { $0 + "\n" } ?? "") + value
            }
            event = fields["event"]
            id = fields["id"]
            isComment = fields[""] != nil
            let json = Data((fields["data"] ?? "").utf8)
            data = (try? JSONSerialization.jsonObject(with: json) as? [String: Any]) ?? [:]
        }

        func text(_ key: String) -> String? { data[key] as? String }
    }
}
