import Foundation
import HTTPClient
import Messages
import RecordLog
import Simulation
import Sinks
import TestSupport

/// A topic of timelines in memory, and a target that holds what it is sent, answers as it is told, and notes all.
final class TimelineStage {
    static let timelines = "timelines"
    static let secret = Array("0123456789abcdef0123456789abcdef".utf8)

    let time = ManualClock()
    let cluster: MemoryCluster
    let service: ScriptedService
    var notices: [DeliveryNotice] = []
    /// What lies at each address that was put to.
    private(set) var held: [String: String] = [:]
    /// Answers a request in place of the target; `nil` from it leaves it to the target.
    var fault: (HTTPClientRequest) -> Result<HTTPClientResponse, HTTPClientError>? = { _ in nil }
    private var instances = 0

    init(partitions: Int32 = 1) {
        cluster = MemoryCluster(clock: time)
        service = ScriptedService(StageClock(time))
        cluster.createTopic(Self.timelines, partitions: partitions)
        cluster.createTopic(ReloadStage.deadLetters, partitions: 1)
        service.respond = { [unowned self] in take($0) }
    }

    /// What the target itself does with a request.
    func take(_ request: HTTPClientRequest) -> Result<HTTPClientResponse, HTTPClientError>? {
        if let answer = fault(request) { return answer }
        switch request.method {
        case .PUT: held[request.url] = String(decoding: request.body, as: UTF8.self)
        case .DELETE:
            if held.removeValue(forKey: request.url) == nil { return .status(404) }
        default: break
        }
        return .status(204)
    }

    // MARK: - Records

    @discardableResult
    func append(
        _ id: String, _ revision: Int, recipient: String = "ana", sinks: String? = nil
    ) -> (partition: Partition, offset: Offset) {
        append(id, value: Self.timeline(id, revision, recipient), sinks: sinks)
    }

    @discardableResult
    func append(_ id: String, value: String?, sinks: String? = nil) -> (partition: Partition, offset: Offset) {
        time.advance(by: .milliseconds(1))
        let type = value == nil ? "\(id)/deleted/t" : "\(id)/1/t"
        let headers = [
            Header("ce_specversion", "1.0"), Header("ce_id", type), Header("ce_type", "tideline.timeline.v1"),
            Header("ce_source", "/app"), Header("ce_subject", id),
        ]
        return cluster.appendKeyed(
            Self.timelines, key: id, value: value, headers: headers + (sinks.map { [Header("ce_sinks", $0)] } ?? []))
    }

    static func timeline(_ id: String, _ revision: Int, _ recipient: String = "ana") -> String {
        TimelineSinkContract.timeline(id, revision: revision, minute: revision % 60)
            .replacing(#""recipient":"r""#, with: #""recipient":"\#(recipient)""#)
    }

    var deadLetters: [String] {
        cluster.records(ReloadStage.deadLetters).map { $0.header("__streams.errors.message") ?? "" }
    }

    /// The configurations of a request's lines.
    func subjects(_ request: HTTPClientRequest) -> [String] {
        String(decoding: request.body, as: UTF8.self).split(separator: "\n").map { line in
            String(line.split(separator: #""subject":""#).last?.prefix { $0 != "\"" } ?? "")
        }
    }

    var requests: [HTTPClientRequest] { service.requests.map(\.request) }

    /// `METHOD ADDRESS REVISION` of each request, the revision of a timeline alone.
    var sent: [String] {
        requests.map { request in
            "\(request.method.rawValue) \(request.url)" + (request.header("ce-revision").map { " \($0)" } ?? "")
        }
    }

    /// Where the sink goes on, of all partitions together; what it keeps of addresses.
    var kept: [String: String] {
        var kept: [String: String] = [:]
        for record in cluster.records(ReloadStage.ledger) {
            kept[String(decoding: record.key ?? [], as: UTF8.self)] =
                record.value.map { String(decoding: $0, as: UTF8.self) }
        }
        return kept
    }

    var position: Int { kept.filter { $0.key.hasPrefix("position/") }.values.reduce(0) { $0 + (Int($1) ?? 0) } }

    // MARK: - Runs

    /// One run, until it has caught up unless `change` says otherwise.
    @discardableResult
    func run(
        _ address: String = "https://t.example/timelines/{configurationId}", hosts: [String] = [], batch: Int = 1,
        removalsMax: Int = 100_000, stop: @escaping () -> Bool = { false },
        progress: @escaping (SinkProgress<DeliverySummary>) -> Void = { _ in }, choice: SinkChoice? = nil,
        change: (inout DeliverySettings) -> Void = { _ in }
    ) throws -> DeliverySummary {
        guard let secret = WebhookSecret("whsec_" + Data(Self.secret).base64EncodedString()) else {
            preconditionFailure("a secret of 32 bytes")
        }
        var http = HTTPTimelinesSettings(address: try TimelineAddress(address), secret: secret)
        http.hosts = hosts.compactMap { AllowedHost($0) }
        http.batch = batch
        http.removalsMax = removalsMax
        http.choice = choice
        var settings = DeliverySettings(
            name: "http", application: "app", topic: Self.timelines, deadLettersTopic: ReloadStage.deadLetters)
        settings.reading.untilCaughtUp = true
        settings.pace.gather = .zero
        change(&settings)
        instances += 1
        return try SinkRunner(
            cluster: cluster, destination: HTTPTimelines(http), transport: service, settings: settings,
            instance: "instance-\(instances)", clock: service.clock, random: { 0 }, shouldStop: stop,
            progress: progress, notice: { [unowned self] in notices.append($0) }
        ).run()
    }

    /// A run that ends after so many rounds, as if it were told to.
    func run(rounds: Int, _ address: String = "https://t.example/timelines/{configurationId}") throws {
        var left = rounds
        try run(
            address,
            stop: {
                left -= 1
                return left < 0
            }, change: { $0.drainTimeout = .zero })
    }
}
