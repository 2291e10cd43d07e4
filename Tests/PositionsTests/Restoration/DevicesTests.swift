import Positions
import TestSupport
import Testing
import Timelines

@Suite("Going on, on another device")
struct DevicesTests {
    static let entries = (8...12).map { hour in
        let date = at("2026-11-20T00:00:00Z") + .hours(Int64(hour))
        return PositionedEntry(id: "tick/\(date.rfc3339)", date: date)
    }

    static let now = at("2026-11-20T12:10:00Z")

    func place(hour: Int, _ observedAt: String) -> PositionSnapshot {
        let entry = Self.entries[hour - 8]
        return PositionSnapshot(entryId: entry.id, observedAt: at(observedAt), entryDate: entry.date)
    }

    func restore(_ all: ReaderPositions, _ device: String?, _ settings: PositionSettings = .init()) -> Restoration {
        PositionRestorer(settings: settings).restore(all, deviceId: device, into: Self.entries, at: Self.now)
    }

    func suggestions(
        _ all: ReaderPositions, _ device: String?, _ settings: PositionSettings = .init()
    ) -> [RestorationSuggestion] {
        PositionRestorer(settings: settings).suggestions(all, deviceId: device, in: Self.entries, at: Self.now)
    }

    @Test("A device goes on where the newest one stopped, and a new device, too")
    func newest() {
        let all = positions(
            record(place(hour: 9, "2026-11-20T11:00:00Z")),
            record(place(hour: 11, "2026-11-20T12:00:00Z"), device: "tv"))
        for device in ["phone", "tv", "new", nil] {
            let restoration = restore(all, device)
            #expect(restoration.index == 3 && restoration.method == .exactMatch)
            #expect(restoration.suggestions.isEmpty)
        }
    }

    @Test("A device that is further ahead stays there, and gets the newest place as a suggestion")
    func ahead() throws {
        let all = positions(
            record(place(hour: 11, "2026-11-20T11:00:00Z")),
            record(place(hour: 9, "2026-11-20T12:00:00Z"), device: "tv"))
        let restoration = restore(all, "phone")
        #expect(restoration.index == 3 && restoration.method == .exactMatch)
        let suggestion = try #require(restoration.suggestions.first)
        #expect(restoration.suggestions.count == 1)
        #expect(suggestion.index == 1 && suggestion.entryId == Self.entries[1].id && suggestion.confidence == 1)
        #expect(suggestion.description == "You were here 10 minutes ago on another device.")
        #expect(restore(all, "tv").index == 1 && restore(all, "tv").suggestions.isEmpty)
    }

    @Test("Of one entry the larger part read is further ahead")
    func aheadWithinAnEntry() {
        var far = place(hour: 9, "2026-11-20T11:00:00Z")
        far.fraction = 0.8
        far.offset = 80
        var near = place(hour: 9, "2026-11-20T12:00:00Z")
        near.fraction = 0.1
        near.offset = 10
        let all = positions(record(far), record(near, device: "tv"))
        #expect(restore(all, "phone").offset == 80)
        #expect(restore(all, "tv").offset == 10)
        // The suggestion would lead to where the reader is.
        #expect(restore(all, "phone").suggestions.isEmpty)
    }

    @Test("While a reader reads on, the newer place of another device is offered, ahead or behind")
    func continueReading() {
        for hour in [9, 12] {
            let all = positions(
                record(place(hour: 11, "2026-11-20T11:00:00Z")),
                record(place(hour: hour, "2026-11-20T12:09:30Z"), device: "tv"))
            let offered = suggestions(all, "phone")
            #expect(offered.map(\.index) == [hour - 8])
            #expect(offered.first?.description == "You were here just now on another device.")
            #expect(suggestions(all, "tv").isEmpty)
        }
    }

    @Test("Without crossSessionSync a device has its own places alone, and no suggestions of others")
    func ownOnly() {
        let own = settings { $0.crossSessionSync = false }
        let all = positions(
            record(place(hour: 9, "2026-11-20T11:00:00Z")),
            record(place(hour: 11, "2026-11-20T12:00:00Z"), device: "tv"))
        #expect(restore(all, "phone", own).index == 1)
        #expect(restore(all, "new", own).method == .fallback)
        #expect(suggestions(all, "phone", own).isEmpty)
    }

    @Test("A dismissed suggestion is not offered again until a newer snapshot comes")
    func dismissed() {
        var all = positions(
            record(place(hour: 9, "2026-11-20T11:00:00Z")),
            record(place(hour: 11, "2026-11-20T12:00:00Z"), device: "tv"))
        let offered = suggestions(all, "phone")
        #expect(offered.map(\.index) == [3])
        // The clock of the phone is an hour slow: what it has seen is dismissed all the same.
        let marks = all.dismissals(of: offered.map(\.entryId), at: at("2026-11-20T11:00:20Z"))
        all.record(
            record(place(hour: 9, "2026-11-20T11:00:00Z"), dismissed: marks),
            arrival: at("2026-11-20T12:00:30Z"), settings: settings())
        #expect(suggestions(all, "phone").isEmpty)
        all.record(
            record(place(hour: 11, "2026-11-20T12:01:00Z"), device: "tv"),
            arrival: at("2026-11-20T12:01:00Z"), settings: settings())
        #expect(suggestions(all, "phone").map(\.index) == [3])
    }

    @Test("Up to three suggestions stand for an entry that is gone, the best first, without the place itself")
    func alternatives() {
        let gone = PositionSnapshot(
            entryId: "gone", observedAt: Self.now - .minutes(1), entryDate: at("2026-11-20T10:20:00Z"))
        let entries = [0, 10, 20, 30, 40, 50].map { (minute: Int64) in
            let date = at("2026-11-20T10:00:00Z") + .minutes(minute)
            return PositionedEntry(id: "tick/\(date.rfc3339)", date: date, title: "Minute \(minute)")
        }
        var all = positions(record(gone))
        let restorer = PositionRestorer()
        let restoration = restorer.restore(all, deviceId: "phone", into: entries, at: Self.now)
        #expect(restoration.index == 2)
        #expect(restoration.suggestions.map(\.index) == [1, 3, 0])
        #expect(restoration.suggestions.map(\.title) == ["Minute 10", "Minute 30", "Minute 0"])
        #expect(restoration.suggestions[0].description == "10 minutes before the time where you stopped.")
        let marks = all.dismissals(of: [entries[3].id], at: Self.now)
        all.record(record(gone, dismissed: marks), arrival: Self.now, settings: settings())
        let again = restorer.restore(all, deviceId: "phone", into: entries, at: Self.now)
        #expect(again.suggestions.map(\.index) == [1, 0, 4])
        // A dismissed suggestion is no reason not to restore there.
        #expect(again.index == 2)
    }

    @Test("An entry without a title is named by its date")
    func untitled() {
        let all = positions(
            record(place(hour: 11, "2026-11-20T11:00:00Z")),
            record(place(hour: 9, "2026-11-20T12:00:00Z"), device: "tv"))
        #expect(suggestions(all, "phone").map(\.title) == ["2026-11-20T09:00:00Z"])
    }
}
