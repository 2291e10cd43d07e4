import Foundation
import TestSupport
import Testing

@testable import TidelineClient

@Suite("Positions are recorded on the device first", .timeLimit(.minutes(10)))
struct PositionStoreTests {
    private let times = ["08:00", "09:00", "10:00", "11:00", "12:00"]

    private func offlineSettings(_ change: (inout PositionSettings) -> Void = { _ in }) -> ClientSettings {
        var settings = ClientSettings()
        settings.positions.cloudSync = false
        change(&settings.positions)
        return settings
    }

    private func journal(of fixture: ClientFixture) -> Data? {
        try? Data(contentsOf: fixture.directory.appending(path: "positions/ana/wall.journal"))
    }

    @Test("moves are saved once after the interval, and are there after a crash")
    func saving() async throws {
        let fixture = try ClientFixture(settings: offlineSettings())
        let store = try await fixture.client.positionStore(for: "wall")
        for offset in 1...50 {
            await store.recordPosition(entryId: tick("08:00"), scrollOffset: Double(offset))
            fixture.clock.advance(by: ElapsedTime(milliseconds: 10))
        }
        #expect(await store.exportStateForDebugging().saves == 0 && journal(of: fixture)?.isEmpty != false)
        #expect(await eventually { fixture.clock.waiting == 1 })
        fixture.clock.advance(by: .seconds(5))
        #expect(await eventually { await store.exportStateForDebugging().saves == 1 })
        await store.recordPosition(entryId: tick("09:00"), scrollOffset: 7)
        fixture.clock.advance(by: .seconds(4))
        #expect(await store.exportStateForDebugging().saves == 1)

        // A crash: nobody stops the first client.
        let again = try await fixture.restarted().client.positionStore(for: "wall")
        #expect(await again.positions.position?.entryId == tick("08:00"))
        #expect(await again.positions.position?.offset == 50)
        try await fixture.client.stop()
        let last = try await fixture.restarted().client.positionStore(for: "wall")
        #expect(await last.positions.position?.entryId == tick("09:00"))
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test("two views that ask for a store at one time both get it when its journal is read")
    func oneStart() async throws {
        let fixture = try ClientFixture(settings: offlineSettings())
        let entries = try tickEntries(times)
        let before = try await fixture.client.positionStore(for: "wall")
        await before.show(entries)
        await before.recordPosition(entryId: tick("12:00"), scrollOffset: 0)
        try await fixture.client.stop()
        let client = try fixture.restarted().client
        let file = fixture.directory.appending(path: "positions/ana/wall.journal")
        // Another process is writing the journal.
        let lock = try LockedFile(file)
        let views = (0..<2).map { _ in
            Task { try await client.positionStore(for: "wall").restorePosition(for: entries) }
        }
        // Time enough for a store that has read nothing to be handed out.
        try await Task.sleep(for: .milliseconds(100))
        release(lock)
        for view in views {
            let restoration = try await view.value
            #expect(restoration.method == .exactMatch && restoration.index == 4)
        }
    }

    private func release(_ lock: consuming LockedFile) {}

    @Test("texts are cut and ids are refused at the sizes that the server takes")
    func sizes() async throws {
        let fixture = try ClientFixture(settings: offlineSettings())
        let store = try await fixture.client.positionStore(for: "wall")
        let title = String(repeating: "ä", count: 511) + "x" + String(repeating: "ä", count: 2000)
        let json = timelineJSON(entries: ["08:00"]).replacing(
            #""parameters":{"#,
            with: #""event":{"calendarId":"c","uid":"u","title":"\#(title)","location":"\#(title)","#
                + #""start":"2026-03-02","end":"2026-03-03","allDay":true},"parameters":{"#)
        await store.show(try PublishedTimeline(json: json.utf8).timeline.entries)
        await store.recordPosition(entryId: tick("08:00"), scrollOffset: 0)
        let place = try #require(await store.positions.position)
        #expect(place.title == String(repeating: "ä", count: 511) + "x" && place.location == place.title)
        let (longest, longer) = (String(repeating: "x", count: 4096), String(repeating: "x", count: 4097))
        for id in [longest, longer] { await store.recordPosition(entryId: id, scrollOffset: 0) }
        await store.markAsRead(["a", longer, ""])
        #expect(await store.exportStateForDebugging().refused == 3)
        #expect(Set(await store.positions.readEntries.map(\.entryId)) == [tick("08:00"), longest, "a"])

        let name = String(repeating: "x", count: 1025)
        await #expect(throws: TidelineError.self) { try await fixture.client.positionStore(for: name) }
        _ = try await fixture.client.positionStore(for: String(name.dropLast()))
        var configuration = fixture.client.configuration
        (configuration.readerId, configuration.deviceId) = (name, name)
        let problems = #expect(throws: ConfigurationProblems.self) { try TidelineClient(configuration: configuration) }
        #expect(problems?.all.map(\.key) == ["readerId", "deviceId"])
    }

    @Test("a store that could not be started is started anew by the next call")
    func failedStart() async throws {
        let fixture = try ClientFixture(settings: offlineSettings())
        let folder = fixture.directory.appending(path: "positions")
        try Data().write(to: folder)
        for _ in 0..<2 {
            await #expect(throws: TidelineError.self) { try await fixture.client.positionStore(for: "wall") }
        }
        try FileManager.default.removeItem(at: folder)
        let store = try await fixture.client.positionStore(for: "wall")
        await store.recordPosition(entryId: "a", scrollOffset: 0)
        try await fixture.client.stop()
        #expect(journal(of: fixture)?.isEmpty == false)
    }

    @Test("with cloudSync off nothing leaves the device, whatever is asked for")
    func cloudSyncOff() async throws {
        let fixture = try ClientFixture(settings: offlineSettings())
        let store = try await fixture.client.positionStore(for: "wall")
        await store.recordPosition(entryId: tick("08:00"), scrollOffset: 0)
        try await store.save()
        #expect(await store.syncAcrossDevices() == .idle)
        try await store.receive(.gap)
        fixture.clock.advance(by: .minutes(10))
        try await store.performMaintenance()
        try await fixture.client.stop()
        #expect(fixture.transport.requests.isEmpty)
        #expect(await store.exportStateForDebugging().pending == 1)
    }

    @Test("a place has the index, date and words of its entry, and the method by which the reader came there")
    func restoring() async throws {
        let fixture = try ClientFixture(settings: offlineSettings())
        let store = try await fixture.client.positionStore(for: "wall")
        let entries = try tickEntries(times)
        let first = await store.restorePosition(for: entries)
        #expect(first.method == .fallback && first.index == 2)
        await store.recordPosition(entryId: tick("10:00"), scrollOffset: 0)
        #expect(await store.positions.position?.restorationMethod == .fallback)
        await store.recordPosition(entryId: tick("11:00"), scrollOffset: 12, fraction: 0.5)
        let place = try #require(await store.positions.position)
        #expect(place.index == 3 && place.entryDate == at("11:00") && place.restorationMethod == .manual)
        #expect(place.offset == 12 && place.fraction == 0.5)

        let exact = await store.restorePosition(for: entries)
        #expect(exact.method == .exactMatch && exact.index == 3 && exact.offset == 12 && exact.confidence == 1)
        let near = await store.restorePosition(for: try tickEntries(["10:30", "20:00"]))
        #expect(near.method == .temporalProximity && near.index == 0)
        let gone = await store.restorePosition(for: try tickEntries(["20:00", "21:00"]), fallbackStrategy: .newestPost)
        #expect(gone.method == .fallback && gone.index == 1)
        let target = PositionSnapshot(entryId: tick("08:00"), observedAt: at("08:00"))
        #expect(await store.restorePosition(for: entries, target: target).index == 0)
        #expect(await store.restorePosition(for: []).index == nil)

        try await fixture.client.stop()
        let again = try await fixture.restarted().client.positionStore(for: "wall")
        let counts = await again.exportStateForDebugging().positions.restorations
        #expect(counts[.exactMatch] == 2 && counts[.temporalProximity] == 1 && counts[.fallback] == 3)
    }

    @Test("places of one device keep their order when its clock is set back")
    func clockSetBack() async throws {
        let fixture = try ClientFixture(settings: offlineSettings())
        let store = try await fixture.client.positionStore(for: "wall")
        await store.recordPosition(entryId: "a", scrollOffset: 0)
        fixture.clock.advance(by: .hours(-2))
        await store.recordPosition(entryId: "b", scrollOffset: 0)
        #expect(await store.positions.position?.entryId == "b")
    }

    @Test("a store keeps so many places, the newest of different entries, and all that was read")
    func bounds() async throws {
        let fixture = try ClientFixture(settings: offlineSettings { $0.maxHistorySize = 3 })
        let store = try await fixture.client.positionStore(for: "wall")
        for entry in ["a", "b", "c", "a", "d"] { await store.recordPosition(entryId: entry, scrollOffset: 0) }
        await store.markAsRead(["x", ""])
        let positions = await store.positions
        #expect(positions.history.map(\.entryId) == ["d", "a", "c"])
        #expect(Set(positions.readEntries.map(\.entryId)) == ["a", "b", "c", "d", "x"])
    }

    @Test("where positions are not enabled nothing is kept, and that is counted")
    func disabled() async throws {
        let fixture = try ClientFixture(settings: offlineSettings { $0.enabled = false })
        let store = try await fixture.client.positionStore(for: "wall")
        await store.recordPosition(entryId: "a", scrollOffset: 0)
        await store.markAsRead(["b", "c"])
        try await fixture.client.stop()
        let export = await store.exportStateForDebugging()
        #expect(export.refused == 3 && export.positions.summary.snapshots == 0)
        #expect(await store.restorePosition(for: try tickEntries(times)).method == .fallback)
    }

    @Test("the export is JSON with history, status and settings, and has no token")
    func export() async throws {
        let fixture = try ClientFixture(token: "secret-token", settings: offlineSettings())
        let store = try await fixture.client.positionStore(for: "wall")
        await store.recordPosition(entryId: "a", scrollOffset: 1)
        let text = try await store.exportStateForDebugging().json()
        #expect(!text.contains("secret") && !text.contains("server.test"))
        let export = try JSONDecoder().decode(PositionStateExport.self, from: Data(text.utf8))
        #expect(await store.exportStateForDebugging() == export)
        #expect(export.positions.history.first?.snapshots.first?.restorationMethod == .manual)
        #expect(export.unsaved == 1 && export.pending == 1 && export.deviceId == "phone")
    }

    @Test("a disk that fails loses nothing: it is counted, and tried again")
    func failingDisk() async throws {
        let fixture = try ClientFixture(settings: offlineSettings())
        let store = try await fixture.client.positionStore(for: "wall")
        let folder = fixture.directory.appending(path: "positions/ana")
        try FileManager.default.removeItem(at: folder)
        try Data().write(to: folder)
        await store.recordPosition(entryId: "a", scrollOffset: 0)
        await #expect(throws: TidelineError.self) { try await store.save() }
        #expect(await store.exportStateForDebugging().failedSaves == 1)
        #expect(await store.positions.position?.entryId == "a")
        try FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        #expect(await eventually { fixture.clock.waiting == 1 })
        fixture.clock.advance(by: .seconds(5))
        #expect(await eventually { await store.exportStateForDebugging().unsaved == 0 })
        let again = try await fixture.restarted().client.positionStore(for: "wall")
        #expect(await again.positions.position?.entryId == "a")
    }

    @Test("each observer gets the present status first, then every change")
    func observers() async throws {
        let fixture = try ClientFixture()
        fixture.transport.answer { _ in .status(304) }
        let store = try await fixture.client.positionStore(for: "wall")
        #expect(await eventually { store.syncStatus.current == .success(at: at("08:00")) })
        var (first, second) = (store.syncStatus.makeAsyncIterator(), store.syncStatus.makeAsyncIterator())
        #expect(await first.next() == .success(at: at("08:00")))
        fixture.clock.advance(by: .seconds(9))
        await store.syncAcrossDevices()
        for status in [SyncStatus.syncing, .success(at: at("08:00:09"))] { #expect(await first.next() == status) }
        for status in [SyncStatus.success(at: at("08:00")), .syncing, .success(at: at("08:00:09"))] {
            #expect(await second.next() == status)
        }
        var sync = store.lastSyncTime.makeAsyncIterator()
        #expect(await sync.next() == .some(at("08:00:09")))
        fixture.transport.answer { _ in throw FakeTransport.Offline() }
        #expect(await store.syncAcrossDevices() == .offline(pending: 0))
        #expect(store.lastSyncTime.current == at("08:00:09"))
    }

    @Test("a device that was given no name has one by chance, and keeps it")
    func deviceName() async throws {
        let fixture = try ClientFixture(device: nil, settings: offlineSettings())
        let store = try await fixture.client.positionStore(for: "wall")
        #expect(store.deviceId == String(repeating: "8", count: 24))
        #expect(try await fixture.restarted().client.positionStore(for: "other").deviceId == store.deviceId)
    }
}
