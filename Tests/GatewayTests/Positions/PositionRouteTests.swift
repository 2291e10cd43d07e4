import Foundation
import HTTPServer
import Messages
import Positions
import RecordLog
import Simulation
import Testing
import Timelines

@testable import Gateway

@Suite("Positions over HTTP", .answersConform)
struct PositionRouteTests {
    private let stage: GatewayStage
    private let path = "/v1/readers/ana/positions/rounds"

    init() throws {
        stage = try GatewayStage()
        try stage.publishTimeline("rounds", recipient: "ana")
    }

    private func place(_ device: String, _ entry: String, minute: Int, more: String = "") -> String {
        let instant = "2026-01-01T00:0\(minute):00Z"
        return #"{"deviceId": "\#(device)", "entryId": "\#(entry)", "observedAt": "\#(instant)"\#(more)}"#
    }

    /// Merges the devices' records as the pipeline does.
    private func merge() throws {
        var parser = JSONParser()
        var known: [String: ReaderPositions] = [:]
        for record in stage.cluster.records(stage.topics.positions) {
            let key = try (record.key ?? []).withUnsafeBytes { try PositionKey.decode($0) }
            var positions = known[key.reader.text] ?? ReaderPositions()
            if let value = record.value {
                let told = try value.withUnsafeBytes { try PositionRecord.decode($0, with: &parser) }
                positions.record(told, arrival: record.timestamp, settings: PositionSettings())
            } else {
                positions.forget(deviceId: key.deviceId)
            }
            known[key.reader.text] = positions
            let merged = positions.merged(readerId: key.reader.readerId, configurationId: key.reader.configurationId)
            var json = JSONWriter()
            merged?.write(to: &json)
            stage.cluster.appendKeyed(
                stage.topics.positionsMerged, key: key.reader.text,
                value: merged == nil ? nil : String(decoding: json.bytes, as: UTF8.self))
        }
        try stage.pump()
    }

    private var written: PositionRecord {
        get throws {
            var parser = JSONParser()
            let records = stage.cluster.records(stage.topics.positions).sorted { $0.offset < $1.offset }
            let value = try #require(records.last?.value)
            return try value.withUnsafeBytes { try PositionRecord.decode($0, with: &parser) }
        }
    }

    // MARK: - Writing

    @Test("a device's record holds all that is known of the device, and an older place takes nothing away")
    func wholeRecords() throws {
        stage.clock.topics.advance(by: .seconds(600))
        #expect(try stage.send("PUT", path, place("phone", "tick/1", minute: 1)).status == 202)
        try stage.send("PUT", path, place("phone", "tick/3", minute: 3))
        try stage.pump()
        try stage.send("PUT", path, place("tablet", "tick/9", minute: 5))
        let mark = #", "readEntries": [{"entryId": "tick/1", "at": "2026-01-01T00:02:00Z"}]"#
        try stage.send("PUT", path, place("phone", "tick/2", minute: 2, more: mark))
        let record = try written
        #expect(record.deviceId == "phone")
        #expect(record.position.entryId == "tick/3")
        #expect(record.history.map(\.entryId) == ["tick/2", "tick/1"])
        #expect(record.readEntries.map(\.entryId) == ["tick/1"])
        let keys = Set(
            stage.cluster.records(stage.topics.positions).map { String(decoding: $0.key ?? [], as: UTF8.self) })
        #expect(keys == ["ana/rounds/phone", "ana/rounds/tablet"])
    }

    @Test("a clock that is an hour fast does not win")
    func fastClock() throws {
        try stage.send("PUT", path, #"{"entryId": "tick/1", "observedAt": "2026-01-01T01:00:00Z"}"#)
        #expect(try written.position.observedAt == stage.clock.wall + .seconds(5))
        #expect(try written.deviceId == nil)
    }

    @Test(
        "a position that cannot be used is refused with its fields",
        arguments: [
            (#"{"entryId": "e"}"#, ["observedAt"]),
            (#"{"entryId": "e", "observedAt": 0, "fraction": 2}"#, ["fraction"]),
            (#"{"entryId": "e", "observedAt": 0, "readerId": "ben"}"#, ["readerId"]),
            (#"{"entryId": "e", "observedAt": 0, "configurationId": "x", "index": -1}"#, ["configurationId", "index"]),
        ])
    func refused(body: String, fields: [String]) throws {
        let response = try stage.send("PUT", path, body)
        #expect(response.status == 422)
        #expect(try response.refusedFields == fields)
        #expect(stage.cluster.records(stage.topics.positions).isEmpty)
    }

    @Test("If-Match holds a change to what the caller knows")
    func conditions() throws {
        let body = place("phone", "tick/1", minute: 0)
        #expect(try stage.send("PUT", path, body, headers: ["If-Match": "*"]).status == 412)
        try stage.send("PUT", path, body)
        try merge()
        let tag = try #require(try stage.send("GET", path).header("ETag"))
        #expect(try stage.send("GET", path, headers: ["If-None-Match": tag]).status == 304)
        #expect(try stage.send("PUT", path, body, headers: ["If-Match": "\"0-0-0\""]).status == 412)
        #expect(try stage.send("PUT", path, body, headers: ["If-Match": tag]).status == 202)
        #expect(try stage.send("DELETE", path, headers: ["If-Match": "\"0-0-0\""]).status == 412)
    }

    @Test("with wait the answer is the merged position that has the device's place")
    func wait() throws {
        let answer = try stage.begin("PUT", path + "?wait=true", place("phone", "tick/1", minute: 0))
        try stage.pump()
        #expect(answer() == nil)
        try merge()
        let response = try #require(answer())
        #expect(response.status == 200)
        #expect(try (response.json["position"] as? NSDictionary)?["entryId"] as? String == "tick/1")
        #expect(response.header("ETag") != nil)
    }

    @Test("one device is forgotten, or all of them")
    func deletions() throws {
        #expect(try stage.send("DELETE", path).status == 404)
        for device in ["phone", "tablet", "wall"] { try stage.send("PUT", path, place(device, "tick/1", minute: 0)) }
        #expect(try stage.send("DELETE", path + "?deviceId=phone").status == 202)
        #expect(try stage.send("DELETE", path + "?deviceId=phone").status == 404)
        let response = try stage.send("DELETE", path)
        #expect((try response.json["items"] as? [NSDictionary])?.count == 2)
        try merge()
        #expect(try stage.send("GET", path).status == 404)
    }

    @Test("positions.enabled off refuses what would be dropped")
    func off() throws {
        let stage = try GatewayStage { $0.positions.enabled = false }
        #expect(try stage.send("PUT", path, place("phone", "tick/1", minute: 0)).status == 403)
        #expect(try stage.send("POST", path + "/dismissals", "{}").status == 403)
    }

    // MARK: - Reading

    @Test("a reader continues on another device, and restores are counted by method")
    func restores() throws {
        try stage.send("PUT", path, place("phone", "tick/2", minute: 0, more: #", "offset": 12, "index": 1"#))
        try merge()
        let exact = try stage.send("GET", path + "/restore?deviceId=tablet").json
        #expect(exact["method"] as? String == "exact_match")
        #expect(exact["index"] as? Int == 1)
        #expect(exact["offset"] as? Double == 12)
        let other = "/v1/readers/ben/positions/rounds"
        let fallback = try stage.send("GET", other + "/restore?fallback=NewestPost").json
        #expect(fallback["method"] as? String == "fallback")
        #expect(fallback["index"] as? Int == 2)
        #expect(try stage.send("GET", path + "/restore?fallback=Newest").status == 400)
        #expect(try stage.send("GET", "/v1/readers/ana/positions/other/restore").status == 404)

        let debug = try stage.send("GET", path + "/debug").json
        #expect((debug["restorations"] as? NSDictionary)?["exact_match"] as? Int == 1)
        #expect((debug["restorations"] as? NSDictionary)?["fallback"] as? Int == 0)
        #expect((debug["syncStatus"] as? NSDictionary)?["state"] as? String == "success")
        #expect((debug["settings"] as? NSDictionary)?["expiry"] as? String == "P30D")
        #expect(try stage.send("GET", other + "/debug").status == 404)
    }

    @Test("a suggestion is offered until it is dismissed")
    func suggestions() throws {
        try stage.send("PUT", path, place("tablet", "tick/3", minute: 0))
        stage.clock.topics.advance(by: .seconds(120))
        try stage.send("PUT", path, place("phone", "tick/1", minute: 2))
        try merge()
        let offered = try stage.send("GET", path + "/suggestions?deviceId=tablet")
        let items = try #require(try offered.json["items"] as? [NSDictionary])
        #expect(items.map { $0["entryId"] as? String } == ["tick/1"])
        #expect(try stage.send("POST", path + "/dismissals", #"{"deviceId": "tablet"}"#).status == 202)
        #expect(try written.dismissed.map(\.entryId) == ["tick/1"])
        #expect(try written.position.entryId == "tick/3")
        try merge()
        #expect(try stage.send("GET", path + "/suggestions?deviceId=tablet").text == "{\"items\":[]}\n")
    }

    @Test("a device without a place of its own dismisses from where a restore puts it")
    func dismissalOfNewDevice() throws {
        #expect(try stage.send("POST", path + "/dismissals", #"{"entryIds": ["tick/1"]}"#).status == 404)
        try stage.send("PUT", path, place("phone", "tick/1", minute: 0))
        #expect(try stage.send("POST", path + "/dismissals", #"{"deviceId": "tv", "entryIds": ["x"]}"#).status == 202)
        #expect(try written.deviceId == "tv")
        #expect(try written.position.entryId == "tick/1")
        #expect(try stage.send("POST", path + "/dismissals", #"{"entryIds": [7]}"#).refusedFields == ["entryIds[0]"])
        let long = String(repeating: "d", count: 2000)
        let body = #"{"deviceId": "\#(long)", "entryIds": ["x"]}"#
        #expect(try stage.send("POST", path + "/dismissals", body).refusedFields == ["deviceId"])
    }

    @Test("a reader's positions come page by page")
    func pages() throws {
        for id in ["a", "b", "c"] {
            try stage.send("PUT", "/v1/readers/ana/positions/\(id)", place("phone", "e", minute: 0))
        }
        try merge()
        let first = try stage.send("GET", "/v1/readers/ana/positions?limit=2").json
        #expect((first["items"] as? [NSDictionary])?.map { $0["configurationId"] as? String } == ["a", "b"])
        #expect(first["next"] as? String == "b")
        let rest = try stage.send("GET", "/v1/readers/ana/positions?limit=2&after=b").json
        #expect((rest["items"] as? [NSDictionary])?.count == 1)
        #expect(rest["next"] == nil)
        #expect(try stage.send("GET", "/v1/readers/nobody/positions").text == "{\"items\":[]}\n")
    }
}
