import Foundation
import TestSupport
import TidelineClient

/// A server of positions in memory: it merges as the pipeline does, and keeps entity tags.
final class PositionServer: Sendable {
    private struct State {
        var positions = ReaderPositions()
        var version = 0
        var puts: [Data] = []
        /// Answers given instead of the right ones, in order; `nil` stands for a right one.
        var failures: [TransportResponse?] = []
        var isAway = false
        /// Records with this text in them are refused.
        var refusedText: String?
        /// The answer to the next accepted record, instead of the merged position.
        var lateAnswer: TransportResponse?
    }

    private let state = Locked(State())
    private let settings = PositionSettings()
    /// The server's clock.
    let clock: ManualClock

    init(clock: ManualClock = ManualClock()) {
        self.clock = clock
    }

    var transport: FakeTransport { FakeTransport { [self] in try answer($0) } }

    var positions: ReaderPositions { state.withLock { $0.positions } }
    var puts: Int { state.withLock { $0.puts.count } }

    func lastPut() throws -> [String: Any]? {
        let data = state.withLock { $0.puts.last }
        return try data.flatMap { try JSONSerialization.jsonObject(with: $0) as? [String: Any] }
    }

    func refuse(_ text: String) { state.withLock { $0.refusedText = text } }
    func setAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }
    func fail(with failures: TransportResponse?...) { state.withLock { $0.failures = failures } }
    func answerLate(_ answer: TransportResponse) { state.withLock { $0.lateAnswer = answer } }

    /// Another device without this library writes a place.
    func write(_ entryId: String, device: String, _ time: String) {
        let record = PositionRecord(
            readerId: "ana", configurationId: "wall", deviceId: device,
            position: PositionSnapshot(entryId: entryId, observedAt: at(time), entryDate: at(time)))
        state.withLock { state in
            state.positions.record(record, arrival: clock.now, settings: settings)
            state.version += 1
        }
    }

    func deleteAll() {
        state.withLock { state in
            state.positions = ReaderPositions()
            state.version += 1
        }
    }

    // MARK: - Answers

    private func answer(_ request: TransportRequest) throws -> TransportResponse {
        try state.withLock { state in
            if state.isAway { throw FakeTransport.Offline() }
            if !state.failures.isEmpty, let failure = state.failures.removeFirst() { return failure }
            let tag = "\"\(state.version)\""
            switch (request.method, request.url.path()) {
            case ("GET", "/base/v1/readers/ana/positions/wall"):
                if request.headers["If-None-Match"] == tag { return .status(304, ["ETag": tag]) }
                return try merged(state)
            case ("PUT", "/base/v1/readers/ana/positions/wall"):
                let isMerged = !state.positions.isEmpty
                if let match = request.headers["If-Match"], !isMerged || match != tag { return .status(412) }
                if let text = state.refusedText, String(decoding: request.body ?? Data(), as: UTF8.self).contains(text)
                {
                    return .problem("invalid-fields", status: 422)
                }
                try put(request.body ?? Data(), &state)
                if let answer = state.lateAnswer {
                    state.lateAnswer = nil
                    return answer
                }
                return try merged(state)
            case ("POST", "/base/v1/readers/ana/positions/wall/dismissals"):
                let body = try JSONSerialization.jsonObject(with: request.body ?? Data()) as? [String: Any]
                let marks = state.positions.dismissals(of: body?["entryIds"] as? [String] ?? [], at: clock.now)
                let told = ReaderPositions(histories: [], readEntries: [], dismissed: marks, settings: settings)
                state.positions.merge(told, settings: settings)
                state.version += 1
                return .json("{}", status: 202)
            default: return .problem("not-found", status: 404)
            }
        }
    }

    private func merged(_ state: State) throws -> TransportResponse {
        guard let merged = state.positions.merged(readerId: "ana", configurationId: "wall") else {
            return .problem("not-found", status: 404)
        }
        let body = String(decoding: try JSONEncoder().encode(merged), as: UTF8.self)
        return .json(body, ["ETag": "\"\(state.version)\"", "Date": Self.date(clock.now)])
    }

    private func put(_ body: Data, _ state: inout State) throws {
        guard var object = try JSONSerialization.jsonObject(with: body) as? [String: Any],
            object["readerId"] == nil, object["configurationId"] == nil
        else { throw FakeTransport.Offline() }
        state.puts.append(body)
        (object["readerId"], object["configurationId"]) = ("ana", "wall")
        let record = try JSONDecoder().decode(
            PositionRecord.self, from: JSONSerialization.data(withJSONObject: object))
        state.positions.record(record, arrival: clock.now, settings: settings)
        state.version += 1
    }

    /// The form of the header `Date`.
    static func date(_ instant: Instant) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: Date(timeIntervalSince1970: Double(instant.milliseconds) / 1000))
    }
}
