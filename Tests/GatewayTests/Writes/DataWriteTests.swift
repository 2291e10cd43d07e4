import Foundation
import HTTPServer
import Messages
import RecordLog
import Simulation
import Testing

@testable import Gateway

@Suite("Telemetry, events and requests for reloads are written over HTTP", .answersConform)
struct DataWriteTests {
    private let stage: GatewayStage

    init() throws { stage = try GatewayStage() }

    private func texts(_ topic: String) -> [String?] { stage.cluster.records(topic).map(\.text) }

    private let good = #"{"vehicleId": "v1", "observedAt": "2026-01-01T00:00:00Z", "speed": 3}"#

    @Test(
        "an object, a list and JSON lines are written as they came",
        arguments: [
            ("application/json", "OBJECT", 1), ("application/json", "[OBJECT, OBJECT]", 2),
            ("application/json", "OBJECT\nOBJECT\r\n\nOBJECT", 3), ("application/x-ndjson", "OBJECT\nOBJECT\n", 2),
        ])
    func forms(mediaType: String, form: String, count: Int) throws {
        let body = form.replacingOccurrences(of: "OBJECT", with: good)
        let response = try stage.send("POST", "/v1/telemetry", body, headers: ["Content-Type": mediaType])
        #expect(response.status == 202)
        let partition = Murmur2.partition(of: "v1", partitions: 4).rawValue
        let places = (0..<count).map { offset -> NSDictionary in
            ["topic": stage.topics.telemetry, "partition": partition, "offset": offset]
        }
        #expect(try response.json == ["items": places])
        #expect(texts(stage.topics.telemetry) == Array(repeating: good, count: count))
    }

    @Test(
        "one bad object, and none is written",
        arguments: [
            (#"[GOOD, {"vehicleId": "v2"}]"#, 422, ["items[1].observedAt"]),
            (#"{"vehicleId": "v2", "observedAt": "soon"}"#, 422, ["observedAt"]),
            ("[GOOD, 7]", 422, ["items[1]"]), ("[]", 422, ["body"]), ("7", 422, ["body"]), ("[GOOD", 400, []),
            ("GOOD\n{", 400, []), ("", 400, []), (#"{"observedAt": 1, "vehicleId": ""}"#, 422, ["vehicleId"]),
        ])
    func refused(form: String, status: Int, fields: [String]) throws {
        let response = try stage.send("POST", "/v1/telemetry", form.replacingOccurrences(of: "GOOD", with: good))
        #expect(response.status == status)
        #expect(try response.refusedFields == fields)
        #expect(texts(stage.topics.telemetry).isEmpty)
    }

    @Test("a value that the pipeline would not read is refused")
    func tooLarge() throws {
        let stage = try GatewayStage { $0.recordBytesMax = 100 }
        let long = String(repeating: "a", count: 100)
        let telemetry = #"{"vehicleId": "\#(long)", "observedAt": 0}"#
        #expect(try stage.send("POST", "/v1/telemetry", "[\(good), \(telemetry)]").status == 413)
        let configuration = #"{"kind": "\#(long)"}"#
        #expect(try stage.send("PUT", "/v1/configurations/c", configuration).status == 413)
        let position = #"{"entryId": "\#(long)", "observedAt": 0}"#
        #expect(try stage.send("PUT", "/v1/readers/ana/positions/c", position).status == 413)
        #expect(stage.topics.inputs.allSatisfy { texts($0).isEmpty })
    }

    @Test("of many problems the first 50 are named, and their number is said")
    func manyProblems() throws {
        let body = "[" + Array(repeating: "{}", count: 60).joined(separator: ",") + "]"
        let response = try stage.send("POST", "/v1/telemetry", body)
        #expect(try response.refusedFields.count == 50)
        #expect(try (response.json["detail"] as? String)?.contains("60") == true)
    }

    @Test("events are filed under their keys, and deleted ones are tombstones")
    func events() throws {
        let event = #"{"calendarId": "a/b", "uid": "u", "title": "T", "start": "2026-01-01T00:00:00Z"}"#
        let gone = #"{"calendarId": "a/b", "uid": "u", "deleted": true}"#
        #expect(try stage.send("POST", "/v1/events", "[\(event), \(gone)]").status == 202)
        let path = "/v1/events/a%2Fb/50%25?recurrenceId=2026-01-01T01:00:00+01:00"
        #expect(try stage.send("DELETE", path).status == 202)
        #expect(try stage.send("DELETE", "/v1/events/a/u?recurrenceId=soon").status == 400)
        let records = stage.cluster.records(stage.topics.calendarEvents)
        let found = Set(records.map { "\(String(decoding: $0.key ?? [], as: UTF8.self)) \($0.text ?? "-")" })
        #expect(found == ["a%2Fb/u \(event)", "a%2Fb/u -", "a%2Fb/50%25/2026-01-01T00:00:00Z -"])
    }

    // MARK: - Reloads

    @Test(
        "a request for reloads asks those that have the kind",
        arguments: [
            (#"{"kind": "AgendaWidget"}"#, ["AgendaWidget for all"], [2, 3, 0]),
            (#"{"kind": "AgendaWidget", "recipients": ["ben", "cleo"]}"#, ["AgendaWidget for ben"], [1, 1, 1]),
        ])
    func reloads(body: String, asked: [String], counts: [Int]) throws {
        for (id, recipient) in [("a1", "ana"), ("a2", "ana"), ("b1", "ben")] {
            try stage.publishTimeline(id, recipient: recipient)
        }
        let response = try stage.send("POST", "/v1/reloads", body)
        #expect(response.status == 202)
        #expect(texts(StageReloads.topic) == asked)
        let json = try response.json
        #expect(["recipients", "configurations", "skipped"].map { json[$0] as? Int } == counts)
    }

    @Test(
        "a request for reloads that nobody can follow is refused",
        arguments: [
            (#"{"kind": "Other"}"#, ["kind"]), ("{}", ["kind"]), (#"{"kind": 7}"#, ["kind"]),
            (#"{"kind": "AgendaWidget", "recipients": ["cleo"]}"#, ["recipients"]),
            (#"{"kind": "AgendaWidget", "recipients": ["ana", 7, ""]}"#, ["recipients[1]", "recipients[2]"]),
            (#"{"kind": "AgendaWidget", "recipients": []}"#, ["recipients"]),
        ])
    func refusedReloads(body: String, fields: [String]) throws {
        try stage.publishTimeline("a1", recipient: "ana")
        #expect(try stage.send("POST", "/v1/reloads", body).refusedFields == fields)
        #expect(texts(StageReloads.topic).isEmpty)
    }

    // MARK: - The log

    @Test(
        "what the log does not take is said with what to do",
        arguments: [
            (LogError.Code.queueFull, "_QUEUE_FULL", 503, "unavailable", "wait for the brokers"),
            (.timedOut, "_MSG_TIMED_OUT", 503, "unavailable", "acknowledged it in time"),
            (.recordTooLarge, "MSG_SIZE_TOO_LARGE", 413, "record-too-large", "max.message.bytes"),
            (.notAuthorised, "TOPIC_AUTHORIZATION_FAILED", 503, "missing-permission", "Write on the topic"),
            (.notAuthorised, "CLUSTER_AUTHORIZATION_FAILED", 503, "missing-permission", "IdempotentWrite"),
            (.unknownTopicOrPartition, "_UNKNOWN_TOPIC", 503, "missing-topic", "tideline topics"),
            (.fatal, "_FATAL", 503, "unavailable", "_FATAL"),
        ])
    func failures(code: LogError.Code, name: String, status: Int, problem: String, words: String) throws {
        stage.cluster.inject(LogError(code, name: name, "broker 10.0.0.1 said no"), into: .reportingProduce)
        let response = try stage.send("POST", "/v1/telemetry", "[\(good), \(good)]")
        #expect(response.status == status)
        #expect(try response.json["type"] as? String == "urn:tideline:problem:\(problem)")
        #expect(response.text.contains(words))
        #expect(!response.text.contains("10.0.0.1"))
        #expect(stage.cluster.pendingFaults.isEmpty)
        // The next one goes through, also where the producer had failed for good.
        #expect(try stage.send("POST", "/v1/telemetry", good).status == 202)
    }

    @Test("a configuration that was not written is not the one that a patch begins with")
    func failedPut() throws {
        stage.cluster.inject(LogError(.timedOut, name: "_TIMED_OUT", "late"), into: .reportingProduce)
        #expect(try stage.send("PUT", "/v1/configurations/c", #"{"kind": "K"}"#).status == 503)
        #expect(try stage.send("PATCH", "/v1/configurations/c", "{}").status == 404)
    }
}
