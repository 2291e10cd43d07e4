import Crypto
import Foundation
import HTTPClient
import Messages
import RecordLog
import Simulation
import Sinks
import TestSupport
import Timelines

/// Topics in memory, a push service that answers as it is told, and a clock that moves when somebody waits.
final class ReloadStage {
    static let reloads = "timeline.reloads"
    static let configurations = "widget.configurations"
    static let deadLetters = "tideline.dead-letters"
    static let ledger = "app.pushes"

    let time = ManualClock()
    let cluster: MemoryCluster
    let service: ScriptedService
    var notices: [DeliveryNotice] = []
    private var revision: Revision = 0
    private var instances = 0

    init() {
        cluster = MemoryCluster(clock: time)
        service = ScriptedService(StageClock(time))
        cluster.createTopic(Self.reloads, partitions: 2)
        cluster.createTopic(Self.configurations, partitions: 2)
        cluster.createTopic(Self.deadLetters, partitions: 1)
    }

    // MARK: - Records

    /// A configuration that takes pushes at `token`; nil: none.
    func configure(_ id: String, token: String?, topic: String = "com.example.app", environment: String? = nil) {
        let place = environment.map { #","environment":"\#($0)""# } ?? ""
        let push = token.map { #","push":{"token":"\#($0)","topic":"\#(topic)"\#(place)}"# } ?? ""
        cluster.appendKeyed(
            Self.configurations, key: id, value: #"{"configurationId":"\#(id)","kind":"K"\#(push)}"#)
        // Records of one millisecond have no order.
        time.advance(by: .milliseconds(1))
    }

    @discardableResult
    func reload(
        _ recipient: String, _ ids: [String], kind: String = "K", reason: ReloadNotification.Reason = .dataChanged
    ) -> (partition: Partition, offset: Offset) {
        revision = revision.next
        let notification = ReloadNotification(
            recipient: recipient, kind: kind, configurationIds: ids, reason: reason, revision: revision,
            issuedAt: time.now,
            budget: ReloadBudget(limit: 48, remaining: 9, resetsAt: time.now))
        var json = JSONWriter()
        notification.write(to: &json)
        let headers = CloudEventHeaders(source: "/app").reload(notification).map { Header($0.name, $0.value) }
        let value = String(decoding: json.bytes, as: UTF8.self)
        time.advance(by: .milliseconds(1))
        return cluster.appendKeyed(Self.reloads, key: recipient, value: value, headers: headers)
    }

    var deadLetters: [Record] { cluster.records(Self.deadLetters) }

    /// The newest value of each key of the ledger; tombstones left out.
    var kept: [String: String] {
        var kept: [String: String] = [:]
        for record in cluster.records(Self.ledger) {
            kept[String(decoding: record.key ?? [], as: UTF8.self)] =
                record.value.map { String(decoding: $0, as: UTF8.self) }
        }
        return kept
    }

    /// Where the sink of that name goes on, of all partitions together.
    func position(_ sink: String = "apns") -> Int {
        kept.filter { $0.key.hasPrefix("position/\(sink)/") }.values.reduce(0) { $0 + (Int($1) ?? 0) }
    }

    // MARK: - Runs

    static let pem = Task { try String(contentsOf: await PushIdentity().key, encoding: .utf8) }

    func settings(_ name: String = "apns") -> DeliverySettings {
        var settings = DeliverySettings(
            name: name, application: "app", topic: Self.reloads, deadLettersTopic: Self.deadLetters)
        settings.reading.untilCaughtUp = true
        settings.pace.gather = .zero
        return settings
    }

    /// One run of the sink of pushes; until it has caught up, unless `change` says otherwise.
    @discardableResult
    func push(
        random: @escaping () -> Double = { 0 }, stop: @escaping () -> Bool = { false },
        pace: (() -> DeliveryPace)? = nil, memory: any MemoryState = AmpleMemory(),
        change: (inout DeliverySettings) -> Void = { _ in }
    ) async throws -> DeliverySummary {
        try pushNow(
            key: await Self.pem.value, random: random, stop: stop, pace: pace, memory: memory, change: change)
    }

    /// - Parameter key: `pem`.
    func pushNow(
        key pem: String, random: @escaping () -> Double = { 0 }, stop: @escaping () -> Bool = { false },
        pace: (() -> DeliveryPace)? = nil, memory: any MemoryState = AmpleMemory(),
        change: (inout DeliverySettings) -> Void = { _ in }
    ) throws -> DeliverySummary {
        var settings = settings()
        change(&settings)
        let key = try P256.Signing.PrivateKey(pemRepresentation: pem)
        let apns = APNsSettings(
            key: key, keyId: "ABC123DEFG", teamId: "TEAM567890", configurationsTopic: Self.configurations)
        let destination = try APNsDestination(
            apns, sink: settings, cluster: cluster, clock: service.clock, shouldStop: stop,
            notice: { [unowned self] in notices.append($0) })
        return try run(destination, settings, random, stop, pace, memory: memory)
    }

    /// - Parameter progress: is told how far the run is.
    @discardableResult
    func post(
        stop: @escaping () -> Bool = { false },
        change: (inout DeliverySettings) -> Void = { _ in },
        progress: @escaping (SinkProgress<DeliverySummary>) -> Void = { _ in }
    ) throws -> DeliverySummary {
        var settings = settings("hook")
        change(&settings)
        guard let secret = WebhookSecret("whsec_" + Data(Self.secret).base64EncodedString()) else {
            preconditionFailure("a secret of 32 bytes")
        }
        let webhook = WebhookSettings(url: try WebhookURL("https://hooks.example.com/reloads"), secret: secret)
        return try run(WebhookDestination(webhook), settings, { 0 }, stop, progress: progress)
    }

    static let secret = Array("0123456789abcdef0123456789abcdef".utf8)

    private func run(
        _ destination: some DeliveryDestination, _ settings: DeliverySettings, _ random: @escaping () -> Double,
        _ stop: @escaping () -> Bool, _ pace: (() -> DeliveryPace)? = nil, memory: any MemoryState = AmpleMemory(),
        progress: @escaping (SinkProgress<DeliverySummary>) -> Void = { _ in }
    ) throws -> DeliverySummary {
        instances += 1
        return try SinkRunner(
            cluster: cluster, destination: destination, transport: service, settings: settings,
            instance: "instance-\(instances)", clock: service.clock, random: random, memory: memory, pace: pace,
            shouldStop: stop, progress: progress, notice: { [unowned self] in notices.append($0) }
        ).run()
    }
}

/// The simulation's clock as a sink has it.
final class StageClock: DeliveryClock {
    private let time: ManualClock
    private let begin: Instant

    init(_ time: ManualClock) {
        self.time = time
        begin = time.now
    }

    var now: Duration { Duration(time.now - begin) }
    var wall: Instant { time.now }

    func wait(for duration: Duration) { time.advance(by: max(duration, .milliseconds(1))) }
}

/// Answers each request by what `respond` says of it; keeps them all.
final class ScriptedService: HTTPTransport {
    let clock: StageClock
    /// Nil: it is never answered.
    var respond: (HTTPClientRequest) -> Result<HTTPClientResponse, HTTPClientError>? = { _ in
        .success(.init(status: 200))
    }
    /// Told how many answers are fetched.
    var completed: (Int) -> Void = { _ in }
    private(set) var requests: [(request: HTTPClientRequest, at: Duration)] = []
    /// How long an answer takes.
    var latency = Duration.zero
    private var answers: [(completion: HTTPClientCompletion, due: Duration)] = []

    init(_ clock: StageClock) {
        self.clock = clock
    }

    func execute(_ request: HTTPClientRequest, tag: Int) {
        requests.append((request, clock.now))
        guard let result = respond(request) else { return }
        answers.append((HTTPClientCompletion(tag: tag, result: result), clock.now + latency))
    }

    func completions(timeout: Duration) -> [HTTPClientCompletion] {
        if !answers.contains(where: { $0.due <= clock.now }) { clock.wait(for: timeout) }
        let due = answers.filter { $0.due <= clock.now }
        answers.removeAll { $0.due <= clock.now }
        completed(due.count)
        return due.map(\.completion)
    }

    func shutdown() { answers.removeAll() }

    func forget() { requests.removeAll() }

    /// The device tokens that were pushed to, in order.
    var tokens: [String] { requests.map { String($0.request.url.split(separator: "/").last ?? "") } }

    /// Answers one after the other, and then 200; of requests to addresses that end so.
    func script(_ answers: [String: [Result<HTTPClientResponse, HTTPClientError>]]) {
        var answers = answers
        respond = { request in
            guard let name = answers.keys.first(where: { request.url.hasSuffix($0) }), answers[name]?.isEmpty == false
            else { return .success(HTTPClientResponse(status: 200)) }
            return answers[name]?.removeFirst()
        }
    }
}

extension Result<HTTPClientResponse, HTTPClientError> {
    static func status(
        _ status: Int, _ reason: String? = nil, timestamp: Instant? = nil, retryAfter: String? = nil
    ) -> Self {
        let since = timestamp.map { ",\"timestamp\":\($0.milliseconds)" } ?? ""
        let body = reason.map { #"{"reason":"\#($0)"\#(since)}"# } ?? ""
        return .success(
            HTTPClientResponse(
                status: status, headers: retryAfter.map { [HTTPHeader("retry-after", $0)] } ?? [],
                body: Array(body.utf8)))
    }

    static var broken: Self { .failure(HTTPClientError(.unreachable, "the connection broke")) }
}

extension Record {
    func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value.map { String(decoding: $0, as: UTF8.self) }
    }
}
