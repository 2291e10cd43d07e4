import Foundation
import Positions
import TestSupport
import Testing
import Timelines

@Suite("Positions as JSON")
struct CodingTests {
    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func value<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }

    @Test("A record is flat, and what is not known is left out")
    func record() throws {
        let text = """
            {"configurationId":"wall","deviceId":"phone","dismissed":[{"at":"2026-11-20T10:00:00Z","entryId":"x"}],\
            "entryDate":"2026-11-20T06:00:00Z","entryId":"tick/2026-11-20T06:00:00Z","fraction":0.25,\
            "history":[{"entryId":"old","observedAt":"2026-11-20T09:00:00Z"}],"index":3,\
            "observedAt":"2026-11-20T10:00:00.500Z","readerId":"ana","restorationMethod":"manual"}
            """
        let record = try value(PositionRecord.self, text)
        #expect(record.position.fraction == 0.25)
        #expect(record.position.restorationMethod == .manual)
        #expect(record.history.count == 1 && record.readEntries.isEmpty)
        #expect(try json(record) == text)
    }

    @Test("Instants may be milliseconds")
    func milliseconds() throws {
        let read = try value(PositionSnapshot.self, #"{"entryId":"a","observedAt":1763632800000,"entryDate":null}"#)
        #expect(read == snapshot("a", "2025-11-20T10:00:00Z"))
    }

    @Test(
        "Bad members are refused by name",
        arguments: [
            (#"{"entryId":"","observedAt":0}"#, "entryId"),
            (#"{"entryId":"a","observedAt":"yesterday"}"#, "observedAt"),
            (#"{"entryId":"a","observedAt":9007199254740991000}"#, "observedAt"),
            (#"{"entryId":"a","observedAt":0,"fraction":1.5}"#, "fraction"),
            (#"{"entryId":"a","observedAt":0,"index":-1}"#, "index"),
        ])
    func refused(text: String, key: String) {
        #expect {
            try value(PositionSnapshot.self, text)
        } throws: { error in
            guard case DecodingError.dataCorrupted(let context) = error else { return false }
            return context.codingPath.map(\.stringValue) == [key]
        }
    }

    @Test("What a client keeps is read as it was written")
    func kept() throws {
        for seed in 0..<60 {
            var draws = Draws(seed: seed)
            let drawn = draws.positions(devices: 5, records: 0...8, draws.settings())
            #expect(try value(ReaderPositions.self, json(drawn)) == drawn, "seed \(seed)")
            if let merged = drawn.merged(readerId: "ana", configurationId: "wall") {
                #expect(try value(MergedPosition.self, json(merged)) == merged, "seed \(seed)")
            }
        }
    }

    @Test("A merged position whose lists are left out has none")
    func merged() throws {
        let read = try value(MergedPosition.self, #"{"readerId":"ana","configurationId":"wall"}"#)
        #expect(read == MergedPosition(readerId: "ana", configurationId: "wall", position: nil, devices: []))
    }

    @Test("Settings that are not said have their defaults, and lengths of time are ISO 8601")
    func settings() throws {
        let read = try value(PositionSettings.self, #"{"syncInterval":"PT90S","fallbackStrategy":"NewestPost"}"#)
        var expected = PositionSettings()
        expected.syncInterval = .seconds(90)
        expected.fallbackStrategy = .newestPost
        #expect(read == expected)
        #expect(
            try json(PositionSettings()) == """
                {"autoSaveInterval":"PT5S","cloudSync":true,"crossSessionSync":true,"enabled":true,"expiry":"P30D",\
                "fallbackStrategy":"NearestContent","lazyLoading":true,"maxCacheSize":500,"maxHistorySize":10,\
                "maxUnreadHistory":500,"renderAheadCount":5,"scrollBufferSize":20,"smartRestoration":true,\
                "syncInterval":"PT1M"}
                """)
        #expect(throws: DecodingError.self) { try value(PositionSettings.self, #"{"expiry":"a month"}"#) }
    }

    @Test("Every sync status is read as it was written")
    func syncStatus() throws {
        let statuses: [(SyncStatus, String)] = [
            (.idle, #"{"state":"idle"}"#), (.syncing, #"{"state":"syncing"}"#),
            (.success(at: at("2026-11-20T10:00:00Z")), #"{"at":"2026-11-20T10:00:00Z","state":"success"}"#),
            (.offline(pending: 2), #"{"pending":2,"state":"offline"}"#),
            (
                .error(message: "503", retryAt: at("2026-11-20T10:01:00Z")),
                #"{"message":"503","retryAt":"2026-11-20T10:01:00Z","state":"error"}"#
            ),
        ]
        for (status, text) in statuses {
            #expect(try json(status) == text)
            #expect(try value(SyncStatus.self, text) == status)
        }
    }

    @Test("A debug export says what there is, with methods, and counts restores by method")
    func debugExport() throws {
        var counts = RestorationCounts()
        counts.count(.exactMatch)
        counts.count(.exactMatch)
        counts.count(.fallback)
        #expect(counts.total == 3 && (counts + counts)[.exactMatch] == 4)
        var manual = snapshot("a", "2026-11-20T10:00:00Z")
        manual.restorationMethod = .manual
        let export = PositionDebugExport(
            positions(PositionsTests.record(manual)), readerId: "ana", configurationId: "wall", syncStatus: .idle,
            lastSyncTime: at("2026-11-20T09:00:00Z"), settings: PositionSettings(), restorations: counts)
        let text = try json(export)
        #expect(try value(PositionDebugExport.self, text) == export)
        #expect(text.contains(#""restorationMethod":"manual""#))
        #expect(
            text.contains(
                """
                "restorations":{"content_similarity":0,"exact_match":2,"fallback":1,"manual":0,"temporal_proximity":0}
                """))
        #expect(export.summary.devices == 1 && export.summary.snapshots == 1)
    }

    @Test("A restoration without entries says so with a null")
    func nothingToRestore() throws {
        let none = PositionRestorer().restore(
            ReaderPositions(), deviceId: nil, into: [], at: at("2026-11-20T10:00:00Z"))
        #expect(
            try json(none) == #"{"confidence":0.1,"index":null,"method":"fallback","offset":0,"suggestions":[]}"#)
        #expect(try value(Restoration.self, json(none)) == none)
    }

    @Test("Numbers and instants that no JSON can say never get into a snapshot")
    func finite() {
        let strange = PositionSnapshot(
            entryId: "a", observedAt: at("2026-11-20T10:00:00Z"), index: -3, offset: .infinity, fraction: 7)
        #expect(strange.index == nil && strange.offset == nil && strange.fraction == 1)
        #expect(PositionSnapshot(entryId: "a", observedAt: strange.observedAt, fraction: .nan).fraction == nil)
        let never = PositionSnapshot(
            entryId: "a", observedAt: Instant(milliseconds: .max), entryDate: Instant(milliseconds: .min))
        var all = ReaderPositions()
        all.record(PositionsTests.record(never), arrival: strange.observedAt, settings: PositionSettings())
        #expect(all.position?.observedAt == strange.observedAt + .seconds(5))
        #expect(all.position?.entryDate?.rfc3339 == "0001-01-01T00:00:00Z")
    }
}
