import Messages
import Positions
import Testing
import Timelines

@Suite("Positions on the wire")
struct PositionMessageTests {
    private func decode(_ text: String, framed: Bool = false) throws -> PositionRecord {
        var parser = JSONParser()
        let bytes = (framed ? [0, 0, 0, 0, 7] : []) + Array(text.utf8)
        return try bytes.withUnsafeBytes { try PositionRecord.decode($0, with: &parser) }
    }

    private func problem(_ text: String) -> MessageProblem? {
        do {
            _ = try decode(text)
            return nil
        } catch {
            return error as? MessageProblem
        }
    }

    private func written(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        write(&json)
        return json.bytes
    }

    private static let full = PositionRecord(
        readerId: "ana", configurationId: "c/1", deviceId: "phone",
        position: PositionSnapshot(
            entryId: "start/team/A/2026-11-20T06:00:00Z", observedAt: Instant(milliseconds: 1_000), index: 3,
            offset: -1.5, fraction: 0.25, entryDate: Instant(milliseconds: 2_000), title: "A \"b\"", location: "here",
            restorationMethod: .temporalProximity),
        readEntries: [EntryMark(entryId: "r", at: Instant(milliseconds: 5))],
        dismissed: [EntryMark(entryId: "d", at: Instant(milliseconds: 6))],
        history: [PositionSnapshot(entryId: "h", observedAt: Instant(milliseconds: 7))])

    @Test("a record reads back as it was written, framed or not")
    func roundTrip() throws {
        let text = String(decoding: written(Self.full.write), as: UTF8.self)
        #expect(try decode(text) == Self.full)
        #expect(try decode(text, framed: true) == Self.full)
        #expect(text.hasPrefix(#"{"readerId":"ana","configurationId":"c/1","deviceId":"phone","entryId":"start/"#))
    }

    @Test("numbers are ids, instants may be milliseconds, null and an empty device are nothing")
    func tolerance() throws {
        let record = try decode(
            #"{"readerId": 7, "configurationId": 1.5, "deviceId": "", "entryId": 9, "observedAt": 1000, "title": null}"#
        )
        #expect(record.readerId == "7" && record.configurationId == "1.5" && record.deviceId == nil)
        #expect(record.position == PositionSnapshot(entryId: "9", observedAt: Instant(milliseconds: 1000)))
    }

    @Test(
        "each fault is named with its field and what is allowed",
        arguments: [
            (#""observedAt": 0, "entryId": """#, "entryId: must be text that is not empty, or a number"),
            (#""observedAt": 0"#, "entryId: is missing"),
            (#""entryId": "e""#, "observedAt: is missing"),
            (
                #""entryId": "e", "observedAt": "today""#,
                "observedAt: must be an RFC 3339 date-time with offset, or whole milliseconds since 1970"
            ),
            (#""entryId": "e", "observedAt": 0, "index": -1"#, "index: must be a whole number, 0 or more"),
            (#""entryId": "e", "observedAt": 0, "fraction": 1.5"#, "fraction: must be a number from 0 to 1"),
            (#""entryId": "e", "observedAt": 0, "offset": "1""#, "offset: must be a number"),
            (
                #""entryId": "e", "observedAt": 0, "restorationMethod": "exact""#,
                "restorationMethod: must be one of exact_match, temporal_proximity, content_similarity, fallback,"
            ),
            (#""entryId": "e", "observedAt": 0, "readEntries": [{"at": 0}]"#, "readEntries[0].entryId: is missing"),
            (
                #""entryId": "e", "observedAt": 0, "dismissed": [{"entryId": "a", "at": 0}, {"entryId": "b"}]"#,
                "dismissed[1].at: is missing"
            ),
            (#""entryId": "e", "observedAt": 0, "history": {}"#, "history: must be a list of objects"),
            (
                #""entryId": "e", "observedAt": 0, "history": [{"entryId": "e", "observedAt": 0, "fraction": 2}]"#,
                "history[0].fraction: must be a number from 0 to 1"
            ),
            (#""entryId": "e", "observedAt": 0, "deviceId": []"#, "deviceId: must be text or a number"),
        ])
    func faults(_ fields: String, _ expected: String) {
        let found = problem(#"{"readerId": "r", "configurationId": "c", \#(fields)}"#)
        #expect(found?.description.hasPrefix(expected) == true, "\(String(describing: found))")
    }

    @Test("ids that stand in keys, and texts, have a length")
    func lengths() {
        let long = String(repeating: "x", count: 1025)
        let rest = #""entryId": "e", "observedAt": 0"#
        let expected = "has 1025 bytes, at most 1024 are allowed"
        #expect(problem(#"{"readerId": "\#(long)", "configurationId": "c", \#(rest)}"#)?.field == "readerId")
        #expect(problem(#"{"readerId": "r", "configurationId": "\#(long)", \#(rest)}"#)?.message == expected)
        #expect(
            problem(#"{"readerId": "r", "configurationId": "c", "deviceId": "\#(long)", \#(rest)}"#)?.kind == .tooLarge)
        #expect(problem(#"{"readerId": "r", "configurationId": "c", "title": "\#(long)", \#(rest)}"#) == nil)
        let longer = String(repeating: "x", count: 4097)
        #expect(
            problem(#"{"readerId": "r", "configurationId": "c", "title": "\#(longer)", \#(rest)}"#)?.field == "title")
        let history = #""history": [{"entryId": "\#(longer)", "observedAt": 0}]"#
        let found = problem(#"{"readerId": "r", "configurationId": "c", \#(history), \#(rest)}"#)
        #expect(found?.field == "history[0].entryId")
    }

    @Test("a merged position reads back as it was written, without a position, too")
    func merged() throws {
        var positions = ReaderPositions()
        positions.record(Self.full, arrival: Instant(milliseconds: 10_000), settings: PositionSettings())
        let merged = try #require(positions.merged(readerId: "ana", configurationId: "c/1"))
        for value in [merged, MergedPosition(readerId: "r", configurationId: "c", position: nil, devices: [])] {
            var parser = JSONParser()
            let bytes = written(value.write)
            #expect(try bytes.withUnsafeBytes { try MergedPosition.decode($0, with: &parser) } == value)
        }
    }

    @Test("keys encode what separates their parts, and are read with more encoded than must be")
    func keys() throws {
        let reader = ReaderKey(readerId: "a/b", configurationId: "50%")
        #expect(reader.text == "a%2Fb/50%25")
        #expect(PositionKey(reader, deviceId: "d/1").text == "a%2Fb/50%25/d%2F1")
        #expect(PositionKey(reader).text == reader.text)
        // Marks that combine with the slash before them.
        let marked = PositionKey(ReaderKey(readerId: "r", configurationId: "\u{301}c"), deviceId: "\u{1F3FB}d")
        #expect(try Array(marked.text.utf8).withUnsafeBytes { try PositionKey.decode($0) } == marked)
        func key(_ text: String?) throws -> PositionKey {
            guard let text else { return try PositionKey.decode(nil) }
            return try Array(text.utf8).withUnsafeBytes { try PositionKey.decode($0) }
        }
        #expect(try key("%61%2fb/50%25/d%2F1") == PositionKey(reader, deviceId: "d/1"))
        #expect(try key("a%2Fb/50%25") == PositionKey(reader) && key("a%2Fb/50%25/") == PositionKey(reader))
        for text in ["a", "", "a/b/c/d", "/c", "r/", "r/%zz", nil] {
            #expect(throws: MessageProblem.self, "\(text ?? "nil")") { try key(text) }
        }
        #expect(throws: MessageProblem.self) {
            try [0x61, 0x2f, 0xff].withUnsafeBytes { try PositionKey.decode($0) }
        }
        let bytes = Array("r/c".utf8)
        #expect(
            try bytes.withUnsafeBytes { try ReaderKey.decode($0) } == ReaderKey(readerId: "r", configurationId: "c"))
        #expect(throws: MessageProblem.self) { try Array("r/c/d".utf8).withUnsafeBytes { try ReaderKey.decode($0) } }
    }

    @Test("a line of a file is a record, or takes one away")
    func lines() throws {
        func line(_ text: String) throws -> PositionLine {
            var parser = JSONParser()
            return try Array(text.utf8).withUnsafeBytes { try PositionLine.decode($0, with: &parser) }
        }
        let tombstone = try line(#"{"readerId": "r", "configurationId": "c", "deviceId": 1, "deleted": true}"#)
        #expect(tombstone.record == nil && tombstone.key.text == "r/c/1")
        let record = try line(#"{"readerId": "r", "configurationId": "c", "entryId": "e", "observedAt": 0}"#)
        #expect(record.record?.position.entryId == "e" && record.key.text == "r/c")
        #expect(throws: MessageProblem.self) { try line(#"{"readerId": "r", "configurationId": "c"}"#) }
    }
}
