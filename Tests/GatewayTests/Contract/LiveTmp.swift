import Access
import Foundation
import HTTPServer
import TestSupport
import Testing

@testable import Gateway

@Suite struct LiveTmp {
    @Test func live() async throws {
        guard let file = ProcessInfo.processInfo.environment["LIVE_PORT"] else { return }
        var token = try #require(AccessTableTests.Kind.write.token)
        token.scopes = ["read", "write"]
        let stage = try GatewayStage(tokens: [token]) { $0.waitMaximum = .milliseconds(50) }
        try stage.publishTimeline("rounds", recipient: "ana")
        let live = try LiveStage(stage)
        try "\(live.server.port)".write(toFile: file, atomically: true, encoding: .utf8)
        try await Task.sleep(for: .seconds(1200))
        live.close()
    }
}
