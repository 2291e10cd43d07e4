import Foundation
import Glibc
import TestSupport
import Testing

/// Debian's nginx, which keeps what is put to it as files.
final class NginxTarget: TargetUnderTest {
    let guarantee = SinkGuarantee.http
    private let nginx: NginxServer
    /// The revisions of each path that say nothing of the order of later ones.
    private var seen: [String: Int] = [:]

    init() throws {
        nginx = try NginxServer()
        try nginx.start()
    }

    var address: String { "http://127.0.0.1:\(nginx.port)/t/{configurationId}.json" }
    var options: [String] { ["--set", "sink.http.backoff.max=PT1S"] }
    private static let secret = "whsec_" + Data(repeating: 9, count: 32).base64EncodedString()
    var environment: [String: String] { ["TIDELINE_WEBHOOK_SECRET": Self.secret] }
    var secrets: [String] { [Self.secret, String(Self.secret.dropFirst("whsec_".count))] }

    func progress() -> Int { nginx.requestCount }

    func contents() throws -> [String: Data] {
        Dictionary(
            uniqueKeysWithValues: try nginx.contents().map { (String($0.dropFirst("t/".count).dropLast(5)), $1) })
    }

    func takeAway() { nginx.kill() }

    func bringBack() throws { try nginx.start() }

    func stall() { nginx.signal(SIGSTOP) }

    func goOn() { nginx.signal(SIGCONT) }

    func deny() throws {
        nginx.kill()
        try nginx.start(deniesAll: true)
    }

    func admit() throws {
        nginx.kill()
        try nginx.start()
    }

    func fill() throws {
        nginx.kill()
        try nginx.start(fileSizeMax: 1)
    }

    func makeRoom() throws {
        nginx.kill()
        try nginx.start()
    }

    func forgetOrder() { seen = nginx.revisions.mapValues(\.count) }

    /// No older timeline came after a newer one.
    func examine() {
        for (path, all) in nginx.revisions.sorted(by: { $0.key < $1.key }) {
            let revisions = Array(all.dropFirst(seen[path] ?? 0))
            #expect(revisions == revisions.sorted(), "\(path): an older timeline came after a newer one")
        }
    }

    func close() { nginx.kill() }
}
