import Access
import Foundation
import HTTPServer
import TestSupport
import Testing

@testable import Gateway

@Suite("Any request has an answer of the OpenAPI document")
struct FuzzTests {
    @Test("schemathesis finds no failure in the routes", .timeLimit(.minutes(15)))
    func schemathesis() async throws {
        var token = try #require(AccessTableTests.Kind.write.token)
        token.scopes = ["read", "write"]
        let stage = try GatewayStage(tokens: [token]) { $0.waitMaximum = .milliseconds(50) }
        try stage.publishTimeline("rounds", recipient: "ana")
        let live = try LiveStage(stage)
        defer { live.close() }
        let result = try await ProcessRunner.run(
            PackageRoot.url.appending(path: "Scripts/fuzz-api"),
            ["http://127.0.0.1:\(live.server.port)", "token-of-write", "10"], timeout: .seconds(800))
        #expect(result.succeeded, "\(result.standardOutput.suffix(20_000))\(result.standardError.suffix(2000))")
    }
}
