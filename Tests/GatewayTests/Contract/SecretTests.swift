import Access
import Foundation
import HTTPServer
import Messages
import RecordLog
import Simulation
import Testing

@testable import Gateway

/// Push tokens, bearer tokens and their digests stay inside, whatever is asked.
@Suite("Secrets never leave")
struct SecretTests {
    private static let push = "00112233445566778899aabbccddeeff"
    private static let bearer = "token-of-write"

    private static func stage() throws -> GatewayStage {
        let stage = try GatewayStage(tokens: [AccessTableTests.Kind.write, .read].compactMap(\.token))
        let configuration = #"""
            {"configurationId": "rounds", "kind": "AgendaWidget", "recipient": "ana",
            "push": {"token": "\#(push)", "topic": "app", "environment": "sandbox"}}
            """#
        stage.cluster.appendKeyed(stage.topics.configurations, key: "rounds", value: configuration)
        let broken = #"{"configurationId": "broken", "push": "\#(push)", "kind": 7}"#
        stage.cluster.appendKeyed(stage.topics.configurations, key: "broken", value: broken)
        try stage.publishTimeline("rounds", recipient: "ana")
        return stage
    }

    private static func everything(_ response: HTTPResponse) -> String {
        response.headers.map { "\($0.name): \($0.value)\n" }.joined() + response.text
    }

    @Test("no route shows the token of a push registration, nor a bearer token, nor its digest")
    func routes() throws {
        let stage = try Self.stage()
        let digests = [AccessTableTests.Kind.write, .read].compactMap { $0.token?.sha256 }
        for operation in try Operation.all() {
            for id in ["rounds", "broken", Self.push, Self.bearer] where operation.method == "GET" {
                var path = operation.path
                for name in ["configurationId", "recipient", "readerId"] {
                    let value = name == "configurationId" || id == "rounds" ? id : "ana"
                    path = path.replacingOccurrences(of: "{\(name)}", with: value)
                }
                for kind in [AccessTableTests.Kind.read, .bad, .none, .write] {
                    let text = Self.everything(try stage.send("GET", path, headers: kind.headers))
                    #expect(!text.contains(Self.push), "\(path)")
                    #expect(!text.contains("token-of"), "\(path)")
                    #expect(!digests.contains { text.contains($0) }, "\(path)")
                }
            }
        }
    }

    @Test(
        "no problem repeats what it refuses",
        arguments: [
            ("PUT", "/v1/configurations/rounds", #"{"kind": "", "push": {"token": "SECRET", "topic": "?"}}"#),
            ("PUT", "/v1/configurations/rounds", #"{"kind": "", "push": "SECRET"}"#),
            ("PATCH", "/v1/configurations/rounds", #"{"push": {"topic": null}}"#),
            ("PUT", "/v1/configurations/rounds", #"{"kind": "K", "push": {"token": "SECRET", "topic": "a"}"#),
            ("PUT", "/v1/configurations/rounds/mode", #"{"mode": "dark"}"#),
            ("POST", "/v1/telemetry", #"{"push": "SECRET"}"#),
        ])
    func problems(method: String, target: String, body: String) throws {
        let stage = try Self.stage()
        let text = body.replacingOccurrences(of: "SECRET", with: Self.push)
        let response = try stage.send(method, target, text, headers: AccessTableTests.Kind.write.headers)
        #expect(response.status >= 400)
        #expect(!Self.everything(response).contains(Self.push))
    }

    @Test("a change keeps the push token that nobody sees")
    func kept() throws {
        let stage = try Self.stage()
        let headers = AccessTableTests.Kind.write.headers
        #expect(try stage.send("PATCH", "/v1/configurations/rounds", "{}", headers: headers).status == 202)
        let records = stage.cluster.records(stage.topics.configurations)
        let newest = records.filter { $0.key == Array("rounds".utf8) }.max { $0.offset < $1.offset }
        #expect(newest?.text?.contains(Self.push) == true)
    }
}
