import Agendas
import Messages
import Producers
import RecordLog
import Simulation
import Testing

/// A topic in memory, and calendar files that are published into it again and again.
private final class CalendarStage {
    static let topic = "calendar.events"
    let inputs: Inputs
    let cluster = MemoryCluster()
    private let producer: any PlainProducer

    init(partitions: Int32 = 3) throws {
        inputs = try Inputs()
        let admin = try cluster.makeAdmin()
        try admin.createTopic(
            NewTopic(
                name: Self.topic, partitions: partitions, settings: [.init("cleanup.policy", "compact")]),
            timeout: .seconds(1))
        producer = try cluster.makePlainProducer(clientId: "test")
    }

    func changes(of files: [CalendarInput], prune: Bool = false) throws -> CalendarChanges {
        var contents = CalendarContents()
        for file in files { contents.read(file) }
        let published = try #require(
            try PublishedEvents.read(
                topic: Self.topic, calendars: contents.calendars, of: cluster, clock: SteppingClock()))
        return CalendarChanges(from: published, to: contents, prune: prune)
    }

    /// - Returns: what was published, as `action key`.
    func publish(_ files: [CalendarInput], prune: Bool = false) throws -> [String] {
        let changes = try changes(of: files, prune: prune)
        _ = try Publisher(producer: producer, clock: SteppingClock()).publish(changes, to: Self.topic)
        return changes.changes.map { "\($0.action) \($0.key.text)" }
    }

    func produce(_ key: String, _ value: String?, partition: Partition? = nil) throws {
        try Array(key.utf8).withUnsafeBytes { key in
            guard let value else {
                return try producer.produce(
                    topic: Self.topic, partition: partition, key: key, value: nil, headers: [])
            }
            try Array(value.utf8).withUnsafeBytes {
                try producer.produce(topic: Self.topic, partition: partition, key: key, value: $0, headers: [])
            }
        }
    }

    func file(_ name: String, _ events: String...) throws -> CalendarInput {
        let text = (["BEGIN:VCALENDAR", "VERSION:2.0"] + events + ["END:VCALENDAR", ""]).joined(separator: "\n")
        return CalendarInput(file: try inputs.file(name, text), calendarId: CalendarInput.calendarId(of: name))
    }
}

private func event(_ uid: String, _ lines: String...) -> String {
    (["BEGIN:VEVENT", "UID:\(uid)", "DTSTART:20261120T070000Z"] + lines + ["END:VEVENT"]).joined(separator: "\n")
}

@Suite("What of calendar files is published")
struct CalendarChangesTests {
    @Test("everything at first, nothing the second time, then only what is new or differs")
    func changes() throws {
        let stage = try CalendarStage()
        let first = try stage.file("team.ics", event("a"), event("b/1", "SUMMARY:B"), event("c"))
        #expect(try stage.publish([first]) == ["add team/a", "add team/b%2F1", "add team/c"])
        #expect(try stage.publish([first]).isEmpty)
        let second = try stage.file("team.ics", event("d"), event("c"), event("b/1", "SUMMARY:B2"))
        let changes = try stage.changes(of: [second])
        #expect(changes.sent == 2 && changes.unchanged == 1 && changes.removed == 0 && changes.kept == 1)
        #expect(try stage.publish([second]) == ["add team/d", "change team/b%2F1"])
        #expect(try stage.publish([second]).isEmpty)
    }

    @Test("a series in a zone that only its file knows is a text of its own, its overrides are records beside it")
    func definedZone() throws {
        let stage = try CalendarStage()
        let zone = """
            BEGIN:VTIMEZONE\nTZID:Ours\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0117\nTZOFFSETTO:+0117
            END:STANDARD\nEND:VTIMEZONE
            """
        func series(_ lines: String...) -> String {
            let own = ["BEGIN:VEVENT", "UID:s", "DTSTART;TZID=Ours:20261120T070000"]
            return (own + lines + ["END:VEVENT"]).joined(separator: "\n")
        }
        let master = series("RRULE:FREQ=DAILY", "DTSTAMP:20261102T000000Z")
        let override = series("RECURRENCE-ID;TZID=Ours:20261121T070000", "SUMMARY:Moved")
        let file = try stage.file("team.ics", zone, master, override)
        let records = try stage.changes(of: [file]).changes.flatMap(\.records)
        #expect(records.map(\.keyText) == ["team/s", "team/s/2026-11-21T05:43:00Z"])
        #expect(records.map { $0.headers.map(\.name) } == [["content-type"], []])
        #expect(records[0].valueText?.contains("\r\nTZOFFSETTO:+0117\r\n") == true)
        #expect(records[1].valueText?.hasPrefix("{") == true)
        #expect(try stage.publish([file]) == ["add team/s", "add team/s/2026-11-21T05:43:00Z"])
        #expect(try stage.publish([file], prune: true).isEmpty)
        // An older version is told from a newer one, though it is no JSON: a tombstone goes first.
        let older = try stage.file("team.ics", zone, series("RRULE:FREQ=DAILY", "DTSTAMP:20261101T000000Z"))
        let changes = try stage.changes(of: [older], prune: true)
        #expect(
            changes.changes.map { "\($0.action) \($0.records.map { $0.value == nil })" } == [
                "change [true, false]", "remove [true]",
            ])
        _ = try stage.publish([older], prune: true)
        // In a zone that IANA has, the same key holds JSON.
        let moved = try stage.file("team.ics", event("s", "RRULE:FREQ=DAILY"))
        #expect(try stage.publish([moved]) == ["change team/s"])
        #expect(try stage.publish([moved]).isEmpty)
    }

    @Test("what is gone becomes tombstones where that is asked for, of these calendars alone, and once")
    func prune() throws {
        let stage = try CalendarStage()
        let series = event("s", "RRULE:FREQ=DAILY")
        let override = event("s", "RECURRENCE-ID:20261121T070000Z", "SUMMARY:Moved")
        let both = try stage.file("team.ics", event("a"), series, override)
        let other = try stage.file("other.ics", event("x"))
        _ = try stage.publish([both, other])
        let left = CalendarInput(file: try stage.file("left.ics", series).file, calendarId: "team")
        #expect(try stage.publish([left]).isEmpty)
        #expect(
            try stage.publish([left], prune: true) == ["remove team/a", "remove team/s/2026-11-21T07:00:00Z"])
        #expect(try stage.publish([left], prune: true).isEmpty)
        #expect(try stage.publish([both]) == ["add team/a", "add team/s/2026-11-21T07:00:00Z"])
        #expect(try stage.publish([other], prune: true).isEmpty, "the other calendar is as it was")
    }

    @Test("nothing counts as gone that a file holds in a form that cannot be used")
    func broken() throws {
        let stage = try CalendarStage()
        let series = event("s", "RRULE:FREQ=DAILY")
        let override = event("s", "RECURRENCE-ID:20261121T070000Z")
        _ = try stage.publish([try stage.file("team.ics", event("a"), event("b"), series, override)])
        let broken = try stage.file(
            "team.ics", event("a", "DTEND:soon"), series, event("s", "RECURRENCE-ID:20261121T070000Z", "DTEND:later"))
        let changes = try stage.changes(of: [broken], prune: true)
        #expect(changes.skipped.map(\.line) == [6, 17])
        #expect(changes.changes.map(\.key.text) == ["team/b"])
        #expect(try stage.publish([broken], prune: true) == ["remove team/b"])
    }

    @Test("nothing counts as gone of a calendar with a file that breaks off or cannot be read")
    func incomplete() throws {
        let stage = try CalendarStage()
        let whole = try stage.file("team.ics", event("a"), event("b"))
        _ = try stage.publish([whole])
        let cut = CalendarInput(
            file: try stage.inputs.file("cut.ics", "BEGIN:VCALENDAR\n" + event("a") + "\n"), calendarId: "team")
        #expect(try stage.publish([cut], prune: true).isEmpty)
        let part = CalendarInput(file: try stage.file("part.ics", event("a")).file, calendarId: "team")
        let absent = CalendarInput(file: whole.file + ".absent", calendarId: "team")
        #expect(try stage.publish([part, absent], prune: true).isEmpty)
        #expect(try stage.publish([part], prune: true) == ["remove team/b"])
    }

    @Test("nothing counts as gone of a calendar of which a folder cannot be read")
    func noted() throws {
        let stage = try CalendarStage()
        _ = try stage.publish([try stage.file("team.ics", event("a"))])
        var contents = CalendarContents()
        contents.read(try stage.file("team.ics"))
        let published = try #require(
            try PublishedEvents.read(
                topic: CalendarStage.topic, calendars: contents.calendars, of: stage.cluster, clock: SteppingClock()))
        #expect(CalendarChanges(from: published, to: contents, prune: true).removed == 1)
        contents.noteIncomplete("team")
        #expect(CalendarChanges(from: published, to: contents, prune: true).removed == 0)
    }

    @Test("of one event in two files of a calendar the newest version is published")
    func merged() throws {
        let stage = try CalendarStage()
        let old = try stage.file("old.ics", event("a", "SEQUENCE:1", "SUMMARY:Old"), event("b", "SEQUENCE:3"))
        let new = try stage.file("new.ics", event("a", "SEQUENCE:2", "SUMMARY:New"), event("b", "SEQUENCE:2"))
        let files = [old, new].map { CalendarInput(file: $0.file, calendarId: "team") }
        let changes = try stage.changes(of: files)
        let values = changes.changes.flatMap(\.records).compactMap(\.valueText)
        #expect(values.count == 2 && values[0].contains(#""title":"New""#) && values[1].contains(#""sequence":3"#))
        _ = try stage.publish(files)
        #expect(try stage.publish(files.reversed()).isEmpty)
    }

    @Test("a file that goes back to an older version is preceded by a tombstone, so that consumers take it")
    func older() throws {
        let stage = try CalendarStage()
        let newer = try stage.file("team.ics", event("a", "SEQUENCE:2"))
        _ = try stage.publish([newer])
        let older = CalendarInput(
            file: try stage.file("older.ics", event("a", "SEQUENCE:1")).file, calendarId: "team")
        let changes = try stage.changes(of: [older])
        #expect(changes.changes.map { $0.records.map { $0.value == nil } } == [[true, false]])
        #expect(changes.sent == 1 && changes.removed == 0)
        _ = try stage.publish([older])
        #expect(try stage.publish([older]).isEmpty)
        #expect(try stage.changes(of: [newer]).changes.map(\.records.count) == [1])
    }

    @Test("keys that other producers encode otherwise name the same event; other records are passed over")
    func otherProducers() throws {
        let stage = try CalendarStage()
        try stage.produce("team/a%2Db", #"{"calendarId":"team","uid":"a-b"}"#)
        try stage.produce("team/g%2Dh", #"{"calendarId":"team","uid":"g-h"}"#)
        try stage.produce("team", "BEGIN:VCALENDAR\nEND:VCALENDAR")
        try stage.produce("teams/x", "{}")
        let file = try stage.file("team.ics", event("a-b"))
        #expect(try stage.publish([file], prune: true) == ["add team/a-b", "remove team/g-h"])
        #expect(try stage.publish([file], prune: true).isEmpty)
    }

    @Test("an aborted transaction's records count as never sent, and a topic that is missing is named")
    func transactions() throws {
        let stage = try CalendarStage(partitions: 1)
        let producer = try stage.cluster.makeTransactionalProducer(transactionalId: "t", clientId: "t")
        try producer.initialise(timeout: .seconds(1))
        try producer.begin()
        let record = try #require(try stage.changes(of: [try stage.file("team.ics", event("a"))]).next())
        try record.key.withUnsafeBytes { key in
            try record.value!.withUnsafeBytes {
                try producer.produce(topic: CalendarStage.topic, partition: 0, key: key, value: $0, headers: [])
            }
        }
        try producer.abort(timeout: .seconds(1))
        #expect(try stage.publish([try stage.file("team.ics", event("a"))]) == ["add team/a"])
        #expect(throws: LogError.self) {
            try PublishedEvents.read(topic: "absent", calendars: [], of: stage.cluster, clock: SteppingClock())
        }
    }

    @Test("reading the topic stops when it is asked to")
    func stops() throws {
        let stage = try CalendarStage()
        _ = try stage.publish([try stage.file("team.ics", event("a"))])
        let published = try PublishedEvents.read(
            topic: CalendarStage.topic, calendars: [], of: stage.cluster, clock: SteppingClock(), shouldStop: { true })
        #expect(published == nil)
    }
}
