import Positions
import TestSupport
import Testing
import Timelines

@Suite("Restoring a place")
struct RestorationTests {
    /// Hourly entries from 08:00 to 12:00, and three of events.
    static let entries = [
        PositionedEntry(id: "tick/2026-11-20T08:00:00Z", date: at("2026-11-20T08:00:00Z")),
        PositionedEntry(
            id: "start/team/standup/2026-11-20T09:00:00Z", date: at("2026-11-20T09:00:00Z"),
            title: "Daily standup", location: "Room 1", series: "team/standup"),
        PositionedEntry(
            id: "end/team/standup/2026-11-20T09:00:00Z", date: at("2026-11-20T09:15:00Z"),
            title: "Daily standup", location: "Room 1", series: "team/standup"),
        PositionedEntry(id: "tick/2026-11-20T10:00:00Z", date: at("2026-11-20T10:00:00Z")),
        PositionedEntry(
            id: "start/team/review/2026-11-20T15:00:00Z", date: at("2026-11-20T15:00:00Z"),
            title: "Design review, second part", location: "Atrium", series: "team/review"),
    ]

    static let now = at("2026-11-20T12:00:00Z")

    func restore(_ snapshot: PositionSnapshot, _ settings: PositionSettings = PositionSettings()) -> Restoration {
        PositionRestorer(settings: settings).restore(
            positions(record(snapshot)), deviceId: "phone", into: Self.entries, at: Self.now)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var snapshot: PositionSnapshot
        var index: Int
        var method: RestorationMethod
        var confidence: Double
        var offset: Double = 0
    }

    static let rows = [
        Row(
            testDescription: "the entry itself, with its offset, whatever its date was",
            snapshot: snapshot(
                "tick/2026-11-20T10:00:00Z", "2026-11-20T11:00:00Z", date: "2026-11-20T08:00:00Z", offset: 12.5),
            index: 3, method: .exactMatch, confidence: 1, offset: 12.5),
        Row(
            testDescription: "an entry of the same date",
            snapshot: snapshot("gone", "2026-11-20T11:00:00Z", date: "2026-11-20T10:00:00Z", offset: 9),
            index: 3, method: .temporalProximity, confidence: 0.9),
        Row(
            testDescription: "an entry 30 minutes before",
            snapshot: snapshot("gone", "2026-11-20T11:00:00Z", date: "2026-11-20T10:30:00Z"),
            index: 3, method: .temporalProximity, confidence: 0.7),
        Row(
            testDescription: "an entry an hour away is just near enough",
            snapshot: snapshot("gone", "2026-11-20T11:00:00Z", date: "2026-11-20T11:00:00Z"),
            index: 3, method: .temporalProximity, confidence: 0.5),
        Row(
            testDescription: "of two as near, the earlier",
            snapshot: snapshot("gone", "2026-11-20T11:00:00Z", date: "2026-11-20T09:07:30Z"),
            index: 1, method: .temporalProximity, confidence: 0.85),
        Row(
            testDescription: "time comes before content",
            snapshot: snapshot(
                "gone", "2026-11-20T11:00:00Z", date: "2026-11-20T10:30:00Z", title: "Daily standup",
                location: "Room 1"),
            index: 3, method: .temporalProximity, confidence: 0.7),
        Row(
            testDescription: "a millisecond more than an hour away is too far, but the text is the same",
            snapshot: snapshot(
                "gone", "2026-11-20T11:00:00Z", date: "2026-11-20T11:00:00.001Z", title: "daily STANDUP",
                location: "room 1"),
            index: 2, method: .contentSimilarity, confidence: 0.5),
        Row(
            testDescription: "half of the words",
            snapshot: snapshot("gone", "2026-11-20T11:00:00Z", title: "Design review", location: "Foyer, Atrium"),
            index: 4, method: .contentSimilarity, confidence: 0.25),
        Row(
            testDescription: "less than half of the words is nothing",
            snapshot: snapshot("gone", "2026-11-20T11:00:00Z", title: "Design of nothing", location: "Atrium"),
            index: 2, method: .fallback, confidence: 0.1),
        Row(
            testDescription: "another occurrence of the series, of the same phase",
            snapshot: snapshot("end/team/standup/2026-11-13T09:00:00Z", "2026-11-13T11:00:00Z"),
            index: 2, method: .contentSimilarity, confidence: 0.5),
        Row(
            testDescription: "an entry of which nothing is known",
            snapshot: snapshot("never/was", "2026-11-20T11:00:00Z"),
            index: 2, method: .fallback, confidence: 0.1),
    ]

    @Test("Methods in their order, with their confidences", arguments: rows)
    func methods(row: Row) {
        let restoration = restore(row.snapshot)
        #expect(restoration.index == row.index)
        #expect(restoration.method == row.method)
        #expect(abs(restoration.confidence - row.confidence) < 1e-9)
        #expect(restoration.offset == row.offset)
        if row.method == .exactMatch { #expect(restoration.suggestions.isEmpty) }
    }

    @Test("Without smartRestoration an exact match is followed by the fallback", arguments: rows)
    func notSmart(row: Row) {
        let restoration = restore(row.snapshot, settings { $0.smartRestoration = false })
        #expect(restoration.method == (row.method == .exactMatch ? .exactMatch : .fallback))
        #expect(restoration.suggestions.isEmpty)
    }

    @Test("A position for an entry that never was is restored by its date")
    func neverWas() {
        let restoration = restore(snapshot("never/was", "2026-11-20T11:00:00Z", date: "2026-11-20T14:30:00Z"))
        #expect(restoration.index == 4 && restoration.method == .temporalProximity)
    }

    @Test("Another measure can be put in")
    func anotherMeasure() {
        struct SameLength: TextSimilarity {
            func similarity(of text: String, to other: String) -> Double { text.count == other.count ? 0.8 : 0 }
        }
        let restoration = PositionRestorer(similarity: SameLength()).restore(
            positions(record(snapshot("gone", "2026-11-20T11:00:00Z", title: "20 letters, no words"))),
            deviceId: "phone", into: Self.entries, at: Self.now)
        #expect(restoration.method == .contentSimilarity && restoration.confidence == 0.4)
    }

    @Test(
        "The Jaccard index of lower-cased words",
        arguments: [
            ("", "", 0), ("a", "", 0), ("A b", "b a A", 1), ("a b", "b c", 1.0 / 3), ("...", "...", 0),
            ("Müller-Straße 5", "müller STRASSE 5", 0.5), ("one two", "one,two;", 1),
        ])
    func jaccard(text: String, other: String, expected: Double) {
        #expect(JaccardSimilarity().similarity(of: text, to: other) == expected)
        #expect(JaccardSimilarity().similarity(of: other, to: text) == expected)
    }

    struct Fallback: Sendable {
        var strategy: FallbackStrategy
        /// The indexes among 0, 1, 4 and 5 entries.
        var indexes: [Int?]
    }

    @Test(
        "Fallbacks among n entries",
        arguments: [
            Fallback(strategy: .nearestContent, indexes: [nil, 0, 2, 2]),
            Fallback(strategy: .topOfTimeline, indexes: [nil, 0, 0, 0]),
            Fallback(strategy: .lastKnownPosition, indexes: [nil, 0, 3, 4]),
            Fallback(strategy: .newestPost, indexes: [nil, 0, 3, 4]),
            Fallback(strategy: .oldestPost, indexes: [nil, 0, 0, 0]),
        ])
    func fallbacks(row: Fallback) {
        let saved = positions(record(snapshot("gone", "2026-11-20T11:00:00Z", index: 7, offset: 3.5)))
        for (count, index) in zip([0, 1, 4, 5], row.indexes) {
            let entries = Array(Self.entries.prefix(count))
            let asked = PositionRestorer().restore(
                saved, deviceId: "phone", into: entries, fallback: row.strategy, at: Self.now)
            #expect(asked.index == index && asked.method == .fallback && asked.confidence == 0.1)
            #expect(asked.offset == (row.strategy == .lastKnownPosition && count > 0 ? 3.5 : 0))
            let configured = PositionRestorer(settings: settings { $0.fallbackStrategy = row.strategy })
            #expect(configured.restore(saved, deviceId: "phone", into: entries, at: Self.now) == asked)
        }
    }

    @Test("The saved index is where a reader goes by LastKnownPosition, and the top where none was saved")
    func lastKnown() {
        for (saved, expected) in [(2, 2), (nil, 0)] {
            let restoration = PositionRestorer().restore(
                positions(record(snapshot("gone", "2026-11-20T11:00:00Z", index: saved))), deviceId: "phone",
                into: Self.entries, fallback: .lastKnownPosition, at: Self.now)
            #expect(restoration.index == expected)
        }
    }

    @Test("Switched off, or with nothing remembered, it is a fallback without suggestions")
    func nothingRemembered() {
        let off = restore(Self.rows[0].snapshot, settings { $0.enabled = false })
        let empty = PositionRestorer().restore(ReaderPositions(), deviceId: nil, into: Self.entries, at: Self.now)
        for restoration in [off, empty] {
            #expect(restoration.index == 2 && restoration.method == .fallback && restoration.suggestions.isEmpty)
        }
    }
}
