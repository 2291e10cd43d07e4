import Positions
import TestSupport
import Testing
import Timelines

@Suite("Records of devices")
struct RecordTests {
    @Test("The position is the newest of all devices; of one instant the absent name wins, then the first by bytes")
    func newest() {
        var both = positions(
            record(snapshot("a", "2026-11-20T10:00:00Z")), record(snapshot("b", "2026-11-20T09:00:00Z"), device: "tv"))
        #expect(both.position?.entryId == "a")
        #expect(both.devices.map(\.deviceId) == ["phone", "tv"])
        let tie = record(snapshot("c", "2026-11-20T10:00:00Z"), device: "Z")
        both.record(tie, arrival: at("2026-11-20T10:00:00Z"), settings: settings())
        #expect(both.position?.entryId == "c")
        let absent = record(snapshot("d", "2026-11-20T10:00:00Z"), device: nil)
        both.record(absent, arrival: at("2026-11-20T10:00:00Z"), settings: settings())
        #expect(both.position?.entryId == "d")
        #expect(both.devices.map(\.deviceId) == [nil, "Z", "phone", "tv"])
    }

    @Test("A clock that is an hour fast wins for five seconds, not for ever")
    func fastClock() {
        var positions = ReaderPositions()
        let fast = record(snapshot("fast", "2026-11-20T11:00:00Z"), device: "fast")
        #expect(fast.isFromFuture(arrival: at("2026-11-20T10:00:00Z")))
        positions.record(fast, arrival: at("2026-11-20T10:00:00Z"), settings: settings())
        #expect(positions.position?.observedAt == at("2026-11-20T10:00:05Z"))
        let right = record(snapshot("right", "2026-11-20T10:00:10Z"))
        #expect(!right.isFromFuture(arrival: at("2026-11-20T10:00:05Z")))
        positions.record(right, arrival: at("2026-11-20T10:00:11Z"), settings: settings())
        #expect(positions.position?.entryId == "right")
    }

    @Test("A place of a fast clock that is told again does not move, with which record it may come, now or hours later")
    func toldAgain() {
        var positions = ReaderPositions()
        let fast = record(snapshot("e1", "2026-11-20T11:00:00Z"), device: "fast")
        positions.record(fast, arrival: at("2026-11-20T10:00:00Z"), settings: settings())
        positions.record(
            record(snapshot("e2", "2026-11-20T10:10:00Z")), arrival: at("2026-11-20T10:10:00Z"), settings: settings())
        for again in ["2026-11-20T10:20:00Z", "2026-11-20T10:59:58Z", "2026-11-20T11:30:00Z"] {
            #expect(positions.record(fast, arrival: at(again), settings: settings()) == .unchanged)
            #expect(positions.position?.entryId == "e2")
        }
        // The next move of the fast clock wins, as it should, and what its record repeats stays where it is.
        let next = record(snapshot("e3", "2026-11-20T11:40:00Z"), device: "fast", history: [fast.position])
        positions.record(next, arrival: at("2026-11-20T10:40:00Z"), settings: settings())
        #expect(positions.history.map(\.entryId) == ["e3", "e2", "e1"])
        // A move of before that comes late is older by the same clock.
        let late = record(snapshot("e4", "2026-11-20T11:05:00Z"), device: "fast")
        positions.record(late, arrival: at("2026-11-20T10:41:00Z"), settings: settings())
        #expect(positions.history.map(\.entryId) == ["e3", "e2", "e4", "e1"])
    }

    @Test("What a server has moved back and writes on is known again")
    func movedBackBefore() throws {
        let fast = record(snapshot("e1", "2026-11-20T11:00:00Z"), device: "fast")
        var server = ReaderPositions()
        server.record(fast, arrival: at("2026-11-20T10:00:00Z"), settings: settings())
        let written = record(try #require(server.position), device: "fast")
        var pipeline = ReaderPositions()
        pipeline.record(written, arrival: at("2026-11-20T10:00:03Z"), settings: settings())
        #expect(pipeline == server)
        #expect(pipeline.record(fast, arrival: at("2026-11-20T10:30:00Z"), settings: settings()) == .unchanged)
    }

    @Test("The history of a fast clock keeps its order, and marks of the future are moved back")
    func fastHistory() {
        var positions = ReaderPositions()
        let fast = record(
            snapshot("third", "2026-11-20T11:10:00Z"),
            read: [EntryMark(entryId: "first", at: at("2026-11-20T11:00:00Z"))],
            dismissed: [EntryMark(entryId: "far", at: at("2027-11-20T11:00:00Z"))],
            history: [snapshot("first", "2026-11-20T11:00:00Z"), snapshot("second", "2026-11-20T11:05:00Z")])
        positions.record(fast, arrival: at("2026-11-20T10:10:00Z"), settings: settings())
        #expect(positions.history.map(\.entryId) == ["third", "second", "first"])
        #expect(
            positions.history.map(\.observedAt) == [
                at("2026-11-20T10:10:05Z"), at("2026-11-20T10:05:05Z"), at("2026-11-20T10:00:05Z"),
            ])
        #expect(positions.readEntries.map(\.at) == [at("2026-11-20T10:10:05Z")])
        #expect(positions.dismissed.map(\.at) == [at("2026-11-20T10:10:05Z")])
    }

    @Test("A clock that jumped 70 years ahead moves what it dated since, not what it dated before")
    func jumpedClock() {
        var positions = ReaderPositions()
        let jumped = record(
            snapshot("third", "2096-11-20T10:00:00Z"),
            history: [snapshot("first", "2026-11-20T09:00:00Z"), snapshot("second", "2096-11-20T09:30:00Z")])
        positions.record(jumped, arrival: at("2026-11-20T10:00:00Z"), settings: settings())
        #expect(
            positions.history.map { $0.observedAt.rfc3339 } == [
                "2026-11-20T10:00:05Z", "2026-11-20T09:30:05Z", "2026-11-20T09:00:00Z",
            ])
    }

    @Test("An offline device's moves come late and lose nothing: history, marks and the order are kept")
    func offline() {
        var positions = positions(record(snapshot("c", "2026-11-20T10:00:00Z"), device: "tv"))
        let late = record(
            snapshot("b", "2026-11-20T09:30:00Z"), read: [EntryMark(entryId: "a", at: at("2026-11-20T09:20:00Z"))],
            history: [snapshot("a", "2026-11-20T09:20:00Z")])
        let outcome = positions.record(late, arrival: at("2026-11-20T12:00:00Z"), settings: settings())
        #expect(outcome == .changed)
        #expect(positions.position?.entryId == "c")
        #expect(positions.history.map(\.entryId) == ["c", "b", "a"])
        #expect(positions.readEntries.map(\.entryId) == ["a"])
        #expect(positions.record(late, arrival: at("2026-11-20T12:00:01Z"), settings: settings()) == .unchanged)
    }

    @Test("What was known of an entry stays when a newer snapshot leaves it out, also from another device")
    func description() {
        let known = snapshot(
            "a", "2026-11-20T09:00:00Z", date: "2026-11-20T08:00:00Z", title: "Standup", location: "Room 1")
        let all = positions(
            record(known), record(snapshot("a", "2026-11-20T10:00:00Z", title: "Renamed"), device: "tv"))
        #expect(all.position?.entryDate == at("2026-11-20T08:00:00Z"))
        #expect(all.position?.title == "Renamed")
        #expect(all.position?.location == "Room 1")
    }

    @Test("An entry that is visited again is the newest; the least recently visited one goes")
    func leastRecentlyUsed() {
        let few = settings { $0.maxHistorySize = 2 }
        let all = positions(
            record(snapshot("a", "2026-11-20T10:00:00Z")), record(snapshot("b", "2026-11-20T10:01:00Z")),
            record(snapshot("a", "2026-11-20T10:02:00Z")), record(snapshot("c", "2026-11-20T10:03:00Z")),
            settings: few)
        #expect(all.histories.map { $0.snapshots.map(\.entryId) } == [["c", "a"]])
    }

    @Test("Read entries and dismissals are a union, the newest of each entry, the newest 500 of all")
    func marks() {
        let early = (0..<400).map { EntryMark(entryId: "e\($0)", at: at("2026-11-20T09:00:00Z")) }
        let later = (300..<700).map { EntryMark(entryId: "e\($0)", at: at("2026-11-20T09:30:00Z")) }
        let all = positions(
            record(snapshot("a", "2026-11-20T10:00:00Z"), read: early, dismissed: early),
            record(snapshot("a", "2026-11-20T10:00:00Z"), device: "tv", read: later, dismissed: later))
        for marks in [all.readEntries, all.dismissed] {
            #expect(marks.count == 500)
            #expect(marks.filter { $0.at == at("2026-11-20T09:30:00Z") }.count == 400)
            #expect(Set(marks.map(\.entryId)).count == 500)
        }
    }

    @Test("After 30 days a place and a mark are gone; a record that is older changes nothing")
    func expiry() {
        var all = positions(
            record(
                snapshot("a", "2026-11-20T10:00:00Z"), read: [EntryMark(entryId: "a", at: at("2026-11-20T09:00:00Z"))]))
        all.expire(at: at("2026-12-20T09:00:00Z"), settings: settings())
        #expect(all.readEntries.isEmpty && all.position != nil)
        all.expire(at: at("2026-12-20T10:00:00Z"), settings: settings())
        #expect(all.isEmpty)
        #expect(all.merged(readerId: "ana", configurationId: "wall") == nil)
        let old = record(snapshot("a", "2026-11-20T10:00:00Z"))
        #expect(all.record(old, arrival: at("2026-12-20T10:00:00Z"), settings: settings()) == .unchanged)
    }

    @Test("A tombstone forgets its device; with the last device the marks go, and a tombstone follows")
    func forget() {
        var all = positions(
            record(
                snapshot("a", "2026-11-20T10:00:00Z"), read: [EntryMark(entryId: "a", at: at("2026-11-20T10:00:00Z"))]),
            record(snapshot("b", "2026-11-20T11:00:00Z"), device: nil))
        all.forget(deviceId: nil)
        #expect(all.position?.entryId == "a")
        #expect(all.readEntries.count == 1)
        all.forget(deviceId: "unknown")
        #expect(all.devices.count == 1)
        all.forget(deviceId: "phone")
        #expect(all.isEmpty)
        #expect(all.merged(readerId: "ana", configurationId: "wall") == nil)
    }

    @Test("Without positions.enabled nothing is recorded")
    func disabled() {
        var all = ReaderPositions()
        let off = settings { $0.enabled = false }
        let outcome = all.record(
            record(snapshot("a", "2026-11-20T10:00:00Z")), arrival: at("2026-11-20T10:00:00Z"), settings: off)
        #expect(outcome == .refused)
        #expect(all.isEmpty)
    }

    @Test("What was merged tells the same position, devices and marks to whoever reads it")
    func merged() throws {
        let all = positions(
            record(
                snapshot("a", "2026-11-20T10:00:00Z"),
                dismissed: [EntryMark(entryId: "x", at: at("2026-11-20T10:00:00Z"))]),
            record(snapshot("b", "2026-11-20T11:00:00Z"), device: "tv"))
        let merged = try #require(all.merged(readerId: "ana", configurationId: "wall"))
        let read = ReaderPositions(merged, settings: settings())
        #expect(read.merged(readerId: "ana", configurationId: "wall") == merged)
        #expect(read == all)
    }
}
