import Foundation
import HTTPClient
import Messages
import RecordLog
import Simulation
import Sinks
import Testing

@Suite("The sink of timelines over HTTP: batches")
struct HTTPTimelinesBatchTests {
    private let stage = TimelineStage()
    private let address = "https://t.example/timelines"

    private struct Line: Decodable {
        var type: String
        var subject: String
        var webhookid: String
        var revision: String?
        var data: [String: JSONIgnored]?
    }

    private struct JSONIgnored: Decodable {
        init(from decoder: any Decoder) {}
    }

    private func lines(_ request: HTTPClientRequest) throws -> [Line] {
        try request.body.split(separator: 0x0A).map { try JSONDecoder().decode(Line.self, from: Data($0)) }
    }

    @Test("so many timelines go in one request, a CloudEvent in each line")
    func batches() throws {
        for number in 0..<10 { stage.append("c\(number)", 1) }
        try stage.run(address, batch: 4)
        stage.append("c0", value: nil)
        stage.append("c1", value: "{\n \"revision\": 7\r\n}")
        try stage.run(address, batch: 4)
        let sizes = try stage.requests.map { try lines($0).count }
        #expect(sizes == [4, 4, 2, 2])
        #expect(stage.requests.allSatisfy { $0.method == .POST && $0.header("content-type") == "application/x-ndjson" })
        let last = try lines(stage.requests[3])
        #expect(last.map(\.subject) == ["c0", "c1"] && last[0].type == "tideline.timeline.deleted.v1")
        #expect(last[0].data == nil && last[1].data?.count == 1 && last[1].revision == "7")
        #expect(Set(try stage.requests.flatMap { try lines($0).map(\.webhookid) }).count == 12)
        #expect(stage.position == 12)
    }

    @Test("a refusal finds the bad one by halving, and all others are delivered", arguments: [1, 2, 7, 8, 64, 100])
    func halves(batch: Int) throws {
        for number in 0..<100 { stage.append(number == 37 ? "bad" : "c\(number)", 1) }
        var taken: [String] = []
        stage.fault = { [unowned stage] request in
            let names = batch == 1 ? [request.header("ce-subject") ?? ""] : stage.subjects(request)
            if names.contains("bad") { return .status(413) }
            taken += names
            return .status(200)
        }
        let summary = try stage.run(address, batch: batch)
        #expect(summary.deadLetters == 1 && summary.delivered == 99 && stage.position == 100)
        #expect(stage.deadLetters.first?.hasPrefix("configuration bad: ") == true)
        #expect(Set(taken).count == 99 && taken.count == 99, "each once")
        if batch == 100 { #expect(stage.requests.count < 20, "\(stage.requests.count) requests") }
    }

    @Test("a batch that fails for now is sent again, the same under the same id")
    func again() throws {
        for number in 0..<4 { stage.append("c\(number)", 1) }
        var count = 0
        stage.fault = { _ in
            count += 1
            return count < 3 ? .status(503) : .status(202)
        }
        let summary = try stage.run(address, batch: 10)
        #expect(summary.delivered == 4 && stage.requests.count == 3)
        #expect(Set(stage.requests.map { $0.header("webhook-id") }).count == 1)
    }

    @Test("hosts that fields make have batches of their own, also where one request alone may be under way")
    func hosts() throws {
        for number in 0..<12 { stage.append("c\(number)", 1, recipient: number % 3 == 0 ? "ana" : "ben") }
        try stage.run(
            "https://{recipient}.example/t", hosts: ["*.example"], batch: 100, change: { $0.pace.requestsMax = 1 })
        let counts = try stage.requests.map { ($0.url, try lines($0).count) }.sorted { $0.0 < $1.0 }
        #expect(counts.map(\.0) == ["https://ana.example/t", "https://ben.example/t"])
        #expect(counts.map(\.1) == [4, 8])
    }
}
