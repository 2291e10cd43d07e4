import Foundation
import TestSupport
import Testing

@testable import TidelineClient

@Suite("Positions are sent when the server answers", .timeLimit(.minutes(10)))
struct PositionSyncTests {
    let server = PositionServer()

    /// A device of the reader, with a clock of its own that may be wrong.
    func device(
        _ name: String, ahead: ElapsedTime = .zero, directory: URL? = nil,
        _ change: (inout PositionSettings) -> Void = { _ in }
    ) async throws -> (fixture: ClientFixture, store: PositionStore) {
        var settings = ClientSettings()
        change(&settings.positions)
        let fixture = try ClientFixture(
            server.transport, clock: ManualClock(server.clock.now + ahead), directory: directory, device: name,
            settings: settings)
        let store = try await fixture.client.positionStore(for: "wall")
        #expect(await eventually { ![.idle, .syncing].contains(store.syncStatus.current) })
        return (fixture, store)
    }

    func tell(_ stores: PositionStore...) async {
        for store in stores { await store.syncAcrossDevices() }
    }

    @Test("a move is sent after it was saved, with all that the contract asks for")
    func sending() async throws {
        let (fixture, store) = try await device("phone")
        _ = await store.restorePosition(for: try tickEntries(["08:00", "09:00"]))
        await store.recordPosition(entryId: tick("08:00"), scrollOffset: 1)
        await store.recordPosition(entryId: tick("09:00"), scrollOffset: 2, fraction: 0.5)
        // One waits to save, one to ask the server.
        #expect(await eventually { fixture.clock.waiting == 2 })
        fixture.clock.advance(by: .seconds(5))
        #expect(await eventually { self.server.puts == 1 })
        #expect(await eventually { store.syncStatus.current == .success(at: at("08:00:05")) })
        #expect(server.positions.history.map(\.entryId) == [tick("09:00"), tick("08:00")])
        #expect(server.positions.readEntries.count == 2)
        let put = try #require(try server.lastPut())
        #expect(put["deviceId"] as? String == "phone" && put["fraction"] as? Double == 0.5)
        #expect(put["entryDate"] as? String == at("09:00").rfc3339)
        #expect(await store.exportStateForDebugging().pending == 0)
        // Nothing new: what is asked for next is only whether others have moved.
        fixture.transport.forgetRequests()
        #expect(await store.syncAcrossDevices() == .success(at: at("08:00:05")))
        #expect(fixture.transport.requests.map(\.method) == ["GET"])
        #expect(fixture.transport.requests.first?.headers["If-None-Match"] != nil)
    }

    @Test("offline moves wait, are tried again with more patience each time, and none is lost")
    func offline() async throws {
        server.setAway(true)
        let (fixture, store) = try await device("phone")
        #expect(store.syncStatus.current == .offline(pending: 0))
        for entry in ["a", "b", "c"] { await store.recordPosition(entryId: entry, scrollOffset: 0) }
        try await store.save()
        #expect(await store.syncAcrossDevices() == .offline(pending: 3))
        var waits: [ElapsedTime] = []
        for _ in 0..<7 {
            #expect(await eventually { fixture.clock.waiting == 1 })
            let requests = fixture.transport.requests.count
            let wait = try #require(fixture.clock.nextDue)
            waits.append(wait)
            fixture.clock.advance(by: wait)
            #expect(await eventually { fixture.transport.requests.count == requests + 1 })
        }
        #expect(waits.map(\.milliseconds) == [1500, 3000, 6000, 12_000, 24_000, 45_000, 45_000])
        server.setAway(false)
        #expect(await eventually { fixture.clock.waiting == 1 })
        fixture.clock.advance(by: .minutes(1))
        #expect(await eventually { self.server.puts == 1 })
        #expect(server.positions.history.map(\.entryId) == ["c", "b", "a"])
        #expect(await eventually { await store.exportStateForDebugging().pending == 0 })
    }

    @Test("a crash between the journal and the server loses nothing")
    func crash() async throws {
        server.setAway(true)
        let (fixture, store) = try await device("phone")
        await store.recordPosition(entryId: "a", scrollOffset: 3)
        try await store.save()
        server.setAway(false)
        // The process is gone: the same folder, a new client.
        let (_, again) = try await device("phone", directory: fixture.directory)
        #expect(again.syncStatus.current == .success(at: at("08:00")))
        #expect(server.positions.position?.entryId == "a" && server.positions.position?.offset == 3)
        #expect(await again.exportStateForDebugging().pending == 0)
    }

    @Test("two devices agree after offline moves on both, and each knows all places")
    func twoDevices() async throws {
        let (_, phone) = try await device("phone")
        let (_, tablet) = try await device("tablet")
        server.setAway(true)
        await phone.recordPosition(entryId: "a", scrollOffset: 0)
        server.clock.advance(by: .seconds(1))
        await phone.recordPosition(entryId: "b", scrollOffset: 0)
        await tablet.recordPosition(entryId: "c", scrollOffset: 0)
        await tell(phone, tablet)
        server.setAway(false)
        await tell(phone, tablet, phone)
        let (left, right) = (await phone.positions, await tablet.positions)
        #expect(left.position == right.position && left.devices == right.devices)
        #expect(Set(left.readEntries) == Set(right.readEntries))
        #expect(Set(server.positions.history.map(\.entryId)) == ["a", "b", "c"])
    }

    @Test(
        "another device's newer place is taken over, or suggested where a device is further ahead, until dismissed"
    )
    func suggestions() async throws {
        let entries = try tickEntries(["08:00", "09:00", "10:00"])
        let (phoneSide, phone) = try await device("phone")
        let (tabletSide, tablet) = try await device("tablet")
        for store in [phone, tablet] { await store.show(entries) }
        await phone.recordPosition(entryId: tick("10:00"), scrollOffset: 0)
        await tell(phone, tablet)
        #expect(await tablet.restorationSuggestions(for: entries).map(\.index) == [2])
        #expect(await tablet.restorePosition(for: entries).index == 2)
        // The reader is there already.
        #expect(await tablet.restorationSuggestions(for: entries) == [])
        tabletSide.clock.advance(by: .seconds(30))
        server.clock.advance(by: .seconds(30))
        await tablet.recordPosition(entryId: tick("09:00"), scrollOffset: 0)
        await tell(tablet, phone)
        phoneSide.clock.advance(by: .seconds(60))
        // The phone is further ahead: it stays, and offers the tablet's place.
        let restored = await phone.restorePosition(for: entries)
        #expect(restored.index == 2 && restored.suggestions.map(\.index) == [1])
        #expect(await phone.restorationSuggestions(for: entries).map(\.entryId) == [tick("09:00")])
        await phone.dismissRestorationSuggestions()
        #expect(await phone.restorationSuggestions(for: entries) == [])
        await tell(phone)
        #expect(server.positions.dismissed.map(\.entryId) == [tick("09:00")])
        server.clock.advance(by: .minutes(2))
        tabletSide.clock.advance(by: .minutes(2))
        await tablet.recordPosition(entryId: tick("09:00"), scrollOffset: 5)
        await tell(tablet, phone)
        #expect(await phone.restorationSuggestions(for: entries).map(\.entryId) == [tick("09:00")])
    }

    @Test("without crossSessionSync only the device's own places count, and they are sent nonetheless")
    func ownOnly() async throws {
        server.write("there", device: "tablet", "07:00")
        let (_, phone) = try await device("phone") { $0.crossSessionSync = false }
        #expect(await phone.positions.position == nil)
        await phone.recordPosition(entryId: "here", scrollOffset: 0)
        server.clock.advance(by: .minutes(1))
        server.write("there", device: "tablet", "08:01")
        await tell(phone)
        #expect(await phone.positions.position?.entryId == "here")
        #expect(server.positions.devices.count == 2)
    }

    @Test("if another device was faster, that is learned first, and the move is sent again")
    func preconditionFailed() async throws {
        let (fixture, phone) = try await device("phone")
        await phone.recordPosition(entryId: "a", scrollOffset: 0)
        await tell(phone)
        server.write("b", device: "tablet", "08:00")
        await phone.recordPosition(entryId: "c", scrollOffset: 0)
        fixture.transport.forgetRequests()
        #expect(await phone.syncAcrossDevices() == .success(at: at("08:00")))
        #expect(fixture.transport.requests.map(\.method) == ["PUT", "GET", "PUT"])
        #expect(await phone.positions.devices.count == 2)
        // Whatever goes on there, the third try has no condition.
        await phone.recordPosition(entryId: "d", scrollOffset: 0)
        server.fail(with: .status(412), nil, .status(412), nil)
        #expect(await phone.syncAcrossDevices() == .success(at: at("08:00")))
        #expect(fixture.transport.requests.last?.headers["If-Match"] == nil)
        #expect(server.positions.position?.entryId == "d")
    }

    @Test("what the reader deleted on another device does not come back with the next move")
    func deletedElsewhere() async throws {
        let (_, phone) = try await device("phone")
        await phone.recordPosition(entryId: "a", scrollOffset: 0)
        await tell(phone)
        server.deleteAll()
        await phone.recordPosition(entryId: "b", scrollOffset: 0)
        #expect(await phone.syncAcrossDevices() == .success(at: at("08:00")))
        #expect(server.positions.history.map(\.entryId) == ["b"])
        #expect(server.positions.readEntries.map(\.entryId) == ["b"])
    }

    @Test("a record that the broker has counts as sent, though its outcome is not known yet", arguments: [true, false])
    func late(isAccepted: Bool) async throws {
        let (fixture, phone) = try await device("phone")
        await phone.recordPosition(entryId: "a", scrollOffset: 0)
        server.answerLate(isAccepted ? .json("{}", status: 202) : .problem("wait-timed-out", status: 504))
        fixture.transport.forgetRequests()
        #expect(await phone.syncAcrossDevices() == .success(at: at("08:00")))
        #expect(fixture.transport.requests.map(\.method) == ["PUT", "GET"])
        #expect(await phone.exportStateForDebugging().pending == 0)
    }

    @Test("a refusal is an error with its time, and the move waits")
    func refusals() async throws {
        let (_, phone) = try await device("phone")
        await phone.recordPosition(entryId: "a", scrollOffset: 0)
        server.fail(with: .status(503, ["Retry-After": "90"]))
        let busy = SyncStatus.error(message: "HTTP 503: The server has failed", retryAt: at("08:01:30"))
        #expect(await phone.syncAcrossDevices() == busy)
        server.fail(
            with: .json(#"{"title":"Unauthorized","detail":"The token is not valid.","status":401}"#, status: 401))
        let unauthorized = SyncStatus.error(
            message: "HTTP 401: Unauthorized. The token is not valid.", retryAt: at("08:00:01.500"))
        #expect(await phone.syncAcrossDevices() == unauthorized)
        server.fail(with: .json("[]"))
        guard case .error(let message, _) = await phone.syncAcrossDevices() else {
            Issue.record("\(phone.syncStatus.current)")
            return
        }
        #expect(message.contains("merged position"))
        #expect(await phone.exportStateForDebugging().pending == 1)
        #expect(await phone.syncAcrossDevices() == .success(at: at("08:00")))
        #expect(server.positions.position?.entryId == "a")
    }

    @Test("a clock that is an hour fast does not win, on no device, and its moves keep their order")
    func fastClock() async throws {
        let (fastSide, fast) = try await device("fast", ahead: .hours(1))
        let (rightSide, right) = try await device("right")
        await fast.recordPosition(entryId: "a", scrollOffset: 0)
        fastSide.clock.advance(by: .seconds(10))
        await fast.recordPosition(entryId: "b", scrollOffset: 0)
        await tell(fast, right)
        #expect(await right.positions.position?.entryId == "b")
        server.clock.advance(by: .minutes(1))
        rightSide.clock.advance(by: .minutes(1))
        await right.recordPosition(entryId: "c", scrollOffset: 0)
        await tell(right, fast)
        for store in [fast, right] { #expect(await store.positions.position?.entryId == "c") }
        #expect(await fast.positions.position(ofDevice: "fast")?.entryId == "b")
    }

    @Test("an event of the server is as good as asking it")
    func events() async throws {
        let (_, phone) = try await device("phone")
        await phone.recordPosition(entryId: "a", scrollOffset: 0)
        await tell(phone)
        server.clock.advance(by: .seconds(2))
        server.write("b", device: "tablet", "08:00:02")
        let merged = try #require(server.positions.merged(readerId: "ana", configurationId: "wall"))
        try await phone.receive(.position(merged))
        #expect(await phone.positions.position?.entryId == "b")
        var other = merged
        other.readerId = "ben"
        other.devices = []
        try await phone.receive(.position(other))
        #expect(await phone.positions.devices.count == 2)
        try await phone.receive(.positionRemoved(readerId: "ana", configurationId: "wall"))
        #expect(await phone.positions.devices.map(\.deviceId) == ["phone"])
    }

    @Test("calls at one time share one exchange")
    func oneExchange() async throws {
        let (fixture, phone) = try await device("phone")
        await phone.recordPosition(entryId: "a", scrollOffset: 0)
        try await phone.save()
        fixture.transport.forgetRequests()
        let calls = Locked(0)
        /// Counted without leaving the store before the call: who is counted waits for an exchange.
        func sync(_ store: isolated PositionStore) async {
            calls.withLock { $0 += 1 }
            await store.syncAcrossDevices()
        }
        // The first exchange lasts until all have called.
        fixture.transport.hold { while calls.withLock({ $0 }) < 8 { await Task.yield() } }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { await sync(phone) } }
        }
        #expect(server.puts == 1 && fixture.transport.requests.count <= 2)
    }

    @Test("a call waits for an exchange that has what was recorded before it")
    func laterCall() async throws {
        let (_, phone) = try await device("phone")
        for number in 0..<50 {
            async let earlier = phone.syncAcrossDevices()
            await phone.recordPosition(entryId: "entry-\(number)", scrollOffset: 0)
            await phone.syncAcrossDevices()
            #expect(server.positions.position?.entryId == "entry-\(number)")
            _ = await earlier
        }
    }

    @Test("a device without a place of its own can dismiss")
    func dismissalsAlone() async throws {
        let entries = try tickEntries(["08:00", "09:00"])
        server.write(tick("09:00"), device: "tablet", "08:00")
        let (_, phone) = try await device("phone")
        #expect(await phone.restorationSuggestions(for: entries).map(\.index) == [1])
        await phone.dismissRestorationSuggestions()
        #expect(await phone.syncAcrossDevices() == .success(at: at("08:00")))
        #expect(server.positions.dismissed.map(\.entryId) == [tick("09:00")])
        #expect(await phone.exportStateForDebugging().pending == 0 && server.puts == 0)
    }
}
