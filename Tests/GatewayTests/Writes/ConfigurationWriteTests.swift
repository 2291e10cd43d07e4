import Foundation
import HTTPServer
import Messages
import RecordLog
import Simulation
import Testing
import Timelines

@testable import Gateway

@Suite("Configurations are written over HTTP", .answersConform)
struct ConfigurationWriteTests {
    private let stage: GatewayStage

    init() throws { stage = try GatewayStage() }

    private let path = "/v1/configurations/courier"
    private var records: [Record] { stage.cluster.records(stage.topics.configurations) }

    private var members: NSDictionary {
        get throws {
            let value = try #require(records.last?.value)
            return try #require(try JSONSerialization.jsonObject(with: Data(value)) as? NSDictionary)
        }
    }

    @Test("PUT writes the record where every other producer would, and says where that is")
    func put() throws {
        let response = try stage.send("PUT", path, #"{"kind": "AgendaWidget", "calendarIds": ["rounds"]}"#)
        #expect(response.status == 202)
        let record = try #require(records.first)
        #expect(record.key == Array("courier".utf8))
        #expect(record.partition == Murmur2.partition(of: "courier", partitions: 4))
        let expected: NSDictionary = ["configurationId": "courier", "kind": "AgendaWidget", "calendarIds": ["rounds"]]
        #expect(try members == expected)
        let place: NSDictionary = [
            "topic": stage.topics.configurations, "partition": record.partition.rawValue,
            "offset": record.offset.rawValue,
        ]
        #expect(try response.json == place)
    }

    @Test(
        "what the pipeline would refuse is refused with its fields, and nothing is written",
        arguments: [
            (#"{"kind": "K", "family": "huge", "timeZone": "Mars/Base"}"#, 422, ["family", "timeZone"]),
            (#"{"vehicleId": "v"}"#, 422, ["kind"]),
            (#"{"kind": "K", "configurationId": "other"}"#, 422, ["configurationId"]),
            (#"{"kind": "K", "configurationId": ["courier"]}"#, 422, ["configurationId"]),
            (#"{"kind": "K", "deleted": true}"#, 422, ["deleted"]),
            (#"{"kind": "K", "push": {"token": "secret", "topic": "t"}}"#, 422, ["push.token"]),
            (#"["kind"]"#, 422, ["body"]), ("{", 400, []), ("", 400, []),
        ])
    func refused(body: String, status: Int, fields: [String]) throws {
        let response = try stage.send("PUT", path, body)
        #expect(response.status == status)
        #expect(try response.refusedFields == fields)
        #expect(!response.text.contains("secret"))
        #expect(records.isEmpty)
    }

    @Test("another media type is refused, and JSON may say its character set")
    func mediaTypes() throws {
        let body = #"{"kind": "K"}"#
        for type in ["text/plain", "application/json; charset=latin1", ""] {
            #expect(try stage.send("PUT", path, body, headers: ["Content-Type": type]).status == 415, "\(type)")
        }
        #expect(try stage.send("PUT", path, body, headers: ["Content-Encoding": "gzip"]).status == 415)
        let utf8 = ["Content-Type": "application/json; Charset=\"UTF-8\""]
        #expect(try stage.send("PUT", path, body, headers: utf8).status == 202)
        let json = "Application/JSON; charset=utf-8"
        #expect(try stage.send("PUT", path, body, headers: ["Content-Type": json]).status == 202)
    }

    @Test("two changes in a row are both kept, whether the server has read the first one back or not")
    func patches() throws {
        try stage.send("PUT", path, #"{"kind": "K", "vehicleId": "v", "push": {"token": "aa", "topic": "app"}}"#)
        #expect(try stage.send("PATCH", path, #"{"signedIn": false, "vehicleId": null}"#).status == 202)
        try stage.pump()
        #expect(try stage.send("PATCH", path, #"{"parameters": {"a": 1, "b": {"c": null}}}"#).status == 202)
        #expect(try stage.send("PUT", path + "/mode", #"{"mode": "lowFrequency"}"#).status == 202)
        let merge = ["Content-Type": "application/merge-patch+json"]
        #expect(try stage.send("PATCH", path, #"{"parameters": {"a": null}}"#, headers: merge).status == 202)
        let expected: NSDictionary = [
            "configurationId": "courier", "kind": "K", "signedIn": false, "mode": "lowFrequency",
            "parameters": ["b": NSDictionary()], "push": ["token": "aa", "topic": "app"],
        ]
        #expect(try members == expected)
        try stage.pump()
        let shown = try stage.send("GET", path)
        #expect(shown.status == 200)
        #expect(!shown.text.contains("token"))
    }

    @Test("the result of a patch is judged as a whole")
    func patchedProblems() throws {
        try stage.send("PUT", path, #"{"kind": "K"}"#)
        #expect(try stage.send("PATCH", path, #"{"kind": null}"#).refusedFields == ["kind"])
        #expect(try stage.send("PUT", path + "/mode", #"{"mode": "dark"}"#).refusedFields == ["mode"])
        #expect(try stage.send("PUT", path + "/mode", "{}").refusedFields == ["mode"])
        #expect(records.count == 1)
    }

    @Test("what is not there can be put, and neither patched nor deleted")
    func absent() throws {
        for (method, suffix, body) in [
            ("PATCH", "", "{}"), ("DELETE", "", nil), ("PUT", "/mode", #"{"mode":"normal"}"#),
        ] {
            #expect(try stage.send(method, path + suffix, body).status == 404)
        }
        try stage.send("PUT", path, #"{"kind": "K"}"#)
        #expect(try stage.send("DELETE", path).status == 202)
        #expect(records.last?.value == nil)
        #expect(try stage.send("PATCH", path, "{}").status == 404)
        #expect(try stage.send("DELETE", path).status == 404)
    }

    // MARK: - Waiting

    @Test("with wait the answer is the timeline that was made from the record")
    func wait() throws {
        let answer = try stage.begin("PUT", path + "?wait=true", #"{"kind": "K"}"#)
        try stage.publishTimeline("courier")
        #expect(answer() == nil, "an older timeline is not the answer")
        let record = try #require(records.last)
        let place = RecordPlace(topic: record.topic, partition: record.partition, offset: record.offset)
        try stage.publishTimeline("courier", revision: 2, sources: [place])
        let response = try #require(answer())
        #expect(response.status == 200)
        #expect(try response.json["revision"] as? Int == 2)
        #expect(response.header("ETag") == #""2-1767225600000""#)
    }

    @Test("a wait ends after serve.wait, and says what was written")
    func waitEnds() throws {
        let answer = try stage.begin("PUT", path + "?wait=true", #"{"kind": "K"}"#)
        stage.clock.topics.advance(by: .seconds(10))
        stage.context.waiters.tick(now: stage.clock.now)
        let response = try #require(answer())
        #expect(response.status == 504)
        let written = try #require(try response.json["written"] as? NSDictionary)
        #expect(written["offset"] as? Int64 == records.last?.offset.rawValue)
        #expect(try stage.send("PUT", path + "?wait=yes", #"{"kind": "K"}"#).status == 400)
    }

    @Test("a wait for a deletion ends with the timeline")
    func waitForDeletion() throws {
        try stage.send("PUT", path, #"{"kind": "K"}"#)
        try stage.publishTimeline("courier")
        let answer = try stage.begin("DELETE", path + "?wait=true")
        #expect(answer() == nil)
        stage.cluster.appendKeyed(stage.topics.timelines, key: "courier", value: nil)
        try stage.pump()
        #expect(answer()?.status == 204)
    }
}
