import Foundation
import TestSupport

/// The receiver of the examples, whose one address takes many timelines at once. It says what came.
final class ReceiverTarget: TargetUnderTest {
    let guarantee = SinkGuarantee.batches
    private static let secret = "whsec_" + Data(repeating: 7, count: 32).base64EncodedString()
    private let port: UInt16
    private var runner: ProcessRunner?
    /// What those said that were killed.
    private var before: [Substring] = []

    init() async throws {
        port = try freePortPair()
        try await bringBack()
    }

    var address: String { "http://127.0.0.1:\(port)/timelines" }
    var options: [String] { ["--set", "sink.http.backoff.max=PT1S", "--set", "sink.http.batch=50"] }
    var environment: [String: String] { ["TIDELINE_WEBHOOK_SECRET": Self.secret] }
    var secrets: [String] { [Self.secret, String(Self.secret.dropFirst("whsec_".count))] }

    /// One line of each that came, without what it says at its start, and without a line that is not whole yet.
    private var lines: [Substring] {
        let text = runner?.output ?? ""
        guard let end = text.lastIndex(of: "\n") else { return before }
        return before + text[..<end].split(separator: "\n").filter { !$0.hasPrefix("listening on ") }
    }

    func progress() -> Int { lines.count }

    /// The newest revision of each configuration: it does not say more of it.
    func contents() -> [String: Data] {
        var revisions: [String: Data] = [:]
        for line in lines {
            if let found = line.firstMatch(of: /^(.+): revision (\d+) of\b/) {
                revisions[String(found.1)] = Data(found.2.utf8)
            } else if line.hasSuffix(": gone") {
                revisions[String(line.dropLast(": gone".count))] = nil
            }
        }
        return revisions
    }

    func shown(_ timeline: Data) throws -> Data {
        let object = try JSONSerialization.jsonObject(with: timeline) as? [String: Any]
        return Data("\(object?["revision"] ?? "none")".utf8)
    }

    func takeAway() {
        runner?.kill()
        _ = runner?.waitBlocking()
        before = lines
        runner = nil
    }

    func bringBack() async throws {
        let runner = try ProcessRunner(
            URL(filePath: "/usr/bin/python3"), ["Examples/consumers/webhook_receiver.py"],
            environment: ["PORT": String(port), "WEBHOOK_SECRET": Self.secret], timeout: .seconds(1200))
        self.runner = runner
        let listens = await eventually { runner.output.contains("listening on ") || !runner.isRunning }
        guard listens, runner.isRunning else {
            throw TestBrokerError("the receiver does not start: \(runner.errorOutput)")
        }
    }

    func close() { takeAway() }
}
