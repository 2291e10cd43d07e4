import Foundation
import HTTPServer
import Messages
import Positions
import RecordLog
import Simulation
import Testing
import Timelines

@testable import Gateway

@Suite("Positions that several write at once", .answersConform)
struct PositionConflictTests {
    private let stage: GatewayStage
    private let path = "/v1/readers/ana/positions/rounds"

    init() throws {
        stage = try GatewayStage()
        try stage.publishTimeline("rounds", recipient: "ana")
        stage.clock.topics.advance(by: .seconds(600))
    }

    private func place(_ device: String, _ entry: String, minute: Int, more: String = "") -> String {
        let instant = "2026-01-01T00:0\(minute):00Z"
        return #"{"deviceId": "\#(device)", "entryId": "\#(entry)", "observedAt": "\#(instant)"\#(more)}"#
    }

    private func written(_ device: String) throws -> PositionRecord {
        var parser = JSONParser()
        let records = stage.cluster.records(stage.topics.positions).sorted { $0.offset < $1.offset }
        let record = records.last { String(decoding: $0.key ?? [], as: UTF8.self).hasSuffix("/" + device) }
        let value = try #require(record?.value)
        return try value.withUnsafeBytes { try PositionRecord.decode($0, with: &parser) }
    }

    @Test("of two changes with one If-Match, the second is refused before the first is read")
    func race() throws {
        let merged = """
            {"readerId":"ana","configurationId":"rounds",\
            "position":{"entryId":"tick/1","observedAt":"2026-01-01T00:00:00Z"},\
            "devices":[{"deviceId":"phone","position":{"entryId":"tick/1","observedAt":"2026-01-01T00:00:00Z"}}]}
            """
        stage.cluster.appendKeyed(stage.topics.positionsMerged, key: "ana/rounds", value: merged)
        try stage.pump()
        let tag = try #require(try stage.send("GET", path).header("ETag"))
        let condition = ["If-Match": tag]
        #expect(try stage.send("PUT", path, place("phone", "tick/2", minute: 1), headers: condition).status == 202)
        #expect(try stage.send("PUT", path, place("tablet", "tick/3", minute: 2), headers: condition).status == 412)
    }

    @Test("a device's record has the marks that the device told, and not those of others")
    func marks() throws {
        let mark = { (id: String) in #", "readEntries": [{"entryId": "\#(id)", "at": "2026-01-01T00:02:00Z"}]"# }
        try stage.send("PUT", path, place("phone", "tick/1", minute: 1, more: mark("tick/1")))
        try stage.send("PUT", path, place("tablet", "tick/2", minute: 2, more: mark("tick/2")))
        try stage.pump()
        try stage.send("PUT", path, place("phone", "tick/3", minute: 3, more: mark("tick/3")))
        #expect(try Set(written("phone").readEntries.map(\.entryId)) == ["tick/1", "tick/3"])
        #expect(try written("tablet").readEntries.map(\.entryId) == ["tick/2"])
    }

    @Test("a record that grows beyond what is read leaves out its oldest marks, and is written")
    func size() throws {
        let stage = try GatewayStage { $0.recordBytesMax = 2_000 }
        try stage.publishTimeline("rounds", recipient: "ana")
        stage.clock.topics.advance(by: .seconds(600))
        for number in 0..<40 {
            let at = "2026-01-01T00:01:\(number + 10)Z"
            let mark = #", "readEntries": [{"entryId": "entry/\#(number)/of/a/long/name", "at": "\#(at)"}]"#
            let response = try stage.send("PUT", path, place("phone", "tick/1", minute: 1, more: mark))
            #expect(response.status == 202, "mark \(number)")
        }
        let sizes = stage.cluster.records(stage.topics.positions).map { $0.value?.count ?? 0 }
        #expect(sizes.max() ?? 0 <= 2_000)
    }

    @Test("a producer with a fast clock neither wins a restore nor drops the places of others")
    func fastProducer() throws {
        try stage.send("PUT", path, place("phone", "tick/3", minute: 9))
        try stage.pump()
        let ahead = stage.clock.wall + .hours(60 * 24)
        stage.cluster.appendKeyed(
            stage.topics.positions, key: "ana/rounds/wall",
            value: #"{"readerId":"ana","configurationId":"rounds","deviceId":"wall","entryId":"tick/1","#
                + #""observedAt":"2026-01-01T00:01:00Z"}"#, timestamp: ahead)
        try stage.pump()
        let restored = try stage.send("GET", path + "/restore?deviceId=phone").json
        #expect(restored["method"] as? String == "exact_match")
        #expect(restored["index"] as? Int == 2)
    }

    @Test("what is deleted while positions are off is refused, as every change is")
    func off() throws {
        let stage = try GatewayStage { $0.positions.enabled = false }
        #expect(try stage.send("DELETE", path).status == 403)
    }

    @Test("a reader of whom marks alone are left can be deleted")
    func marksAlone() throws {
        let merged = """
            {"readerId":"ana","configurationId":"rounds","devices":[],\
            "readEntries":[{"entryId":"tick/1","at":"2026-01-01T00:00:00Z"}]}
            """
        stage.cluster.appendKeyed(stage.topics.positionsMerged, key: "ana/rounds", value: merged)
        try stage.pump()
        #expect(try stage.send("DELETE", path).status == 202)
        #expect(stage.cluster.records(stage.topics.positions).last?.value == nil)
    }
}

@Suite("Writes that the views have not read")
struct UnreadWritesTests {
    private func place(_ offset: Int64) -> RecordPlace { RecordPlace(topic: "t", partition: 0, offset: Offset(offset)) }

    private func latest(_ writes: UnreadWrites<String, Int>) -> Int? {
        guard case .written(let value) = writes.latest("k", isRead: { _ in false }) else { return nil }
        return value
    }

    @Test("a write that fails leaves the one before it, in whatever order the answers come")
    func failure() {
        for isFirstSettledFirst in [true, false] {
            let writes = UnreadWrites<String, Int>()
            let first = writes.begin("k", 1)
            if isFirstSettledFirst { writes.settle("k", first, 1, at: place(0)) }
            let second = writes.begin("k", 2)
            if !isFirstSettledFirst { writes.settle("k", first, 1, at: place(0)) }
            #expect(latest(writes) == 2)
            writes.fail("k", second)
            #expect(latest(writes) == 1)
        }
    }

    @Test("the only write that fails leaves nothing")
    func onlyOne() {
        let writes = UnreadWrites<String, Int>()
        let number = writes.begin("k", 1)
        writes.fail("k", number)
        #expect(latest(writes) == nil)
    }
}
