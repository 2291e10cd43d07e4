import Foundation
import TestSupport
import Testing

@testable import TidelineClient

/// Answers that are none, refusals, and what happens meanwhile.
extension PositionSyncTests {
    @Test("a server or a proxy that gives up says nothing of the broker: the move waits and is sent again")
    func givenUp() async throws {
        let (_, phone) = try await device("phone")
        await phone.recordPosition(entryId: "a", scrollOffset: 0)
        let html = TransportResponse.json("<html>504</html>", status: 504, ["Content-Type": "text/html"])
        for answer in [html, .json("{}", status: 504), .problem("unanswered", status: 504)] {
            server.fail(with: answer)
            guard case .error = await phone.syncAcrossDevices() else {
                Issue.record("\(phone.syncStatus.current)")
                return
            }
            #expect(await phone.exportStateForDebugging().pending == 1 && server.puts == 0)
        }
        #expect(await phone.syncAcrossDevices() == .success(at: at("08:00")))
        #expect(await phone.exportStateForDebugging().pending == 0 && server.positions.position?.entryId == "a")
    }

    @Test("what the server refuses alone is set aside and counted, and all the rest arrives")
    func setAside() async throws {
        let (fixture, phone) = try await device("phone")
        server.refuse("bad")
        for entry in ["a", "b", "bad", "c", "d", "bad-too"] {
            await phone.recordPosition(entryId: entry, scrollOffset: 0)
        }
        await phone.markAsRead(["e", "bad-mark", "f"])
        #expect(await phone.syncAcrossDevices() == .success(at: at("08:00")))
        #expect(server.positions.history.map(\.entryId) == ["d", "c", "b", "a"])
        #expect(Set(server.positions.readEntries.map(\.entryId)) == ["a", "b", "c", "d", "e", "f"])
        var export = await phone.exportStateForDebugging()
        #expect(export.pending == 0 && export.setAside == 3)
        // The reader's place here is still the one that was refused.
        #expect(await phone.positions.position?.entryId == "bad-too")
        // Neither is sent again, also after a restart and as the place of a record of marks.
        let (_, again) = try await device("phone", directory: fixture.directory)
        await again.markAsRead(["g"])
        #expect(await again.syncAcrossDevices() == .success(at: at("08:00")))
        #expect(server.positions.readEntries.contains { $0.entryId == "g" })
        export = await again.exportStateForDebugging()
        #expect(export.pending == 0 && export.setAside == 3)
    }

    @Test("a body that is too large is sent in smaller parts")
    func tooLarge() async throws {
        let (_, phone) = try await device("phone")
        for entry in ["a", "b"] { await phone.recordPosition(entryId: entry, scrollOffset: 0) }
        server.fail(with: .status(413), .status(413))
        #expect(await phone.syncAcrossDevices() == .success(at: at("08:00")))
        #expect(Set(server.positions.readEntries.map(\.entryId)) == ["a", "b"] && server.positions.history.count == 2)
        let export = await phone.exportStateForDebugging()
        #expect(export.pending == 0 && export.setAside == 0)
    }

    @Test("a move that is saved while an exchange is under way is sent after it, at once")
    func savedMeanwhile() async throws {
        let (fixture, phone) = try await device("phone")
        let gate = Locked<CheckedContinuation<Void, Never>?>(nil)
        fixture.transport.hold {
            await withCheckedContinuation { waiting in gate.withLock { $0 = waiting } }
        }
        await phone.recordPosition(entryId: "a", scrollOffset: 0)
        async let exchange = phone.syncAcrossDevices()
        #expect(await eventually { gate.withLock { $0 != nil } })
        await phone.recordPosition(entryId: "b", scrollOffset: 0)
        try await phone.save()
        fixture.transport.hold(nil)
        gate.withLock { $0 }?.resume()
        #expect(await exchange == .success(at: at("08:00")))
        // The clock stands still.
        #expect(await eventually { self.server.puts == 2 })
        #expect(server.positions.position?.entryId == "b")
    }

    @Test("the time of the last success is known after a restart, also where nothing had changed")
    func lastSuccess() async throws {
        let (fixture, phone) = try await device("phone")
        await phone.recordPosition(entryId: "a", scrollOffset: 0)
        await tell(phone)
        // What is left is the wait for the next exchange.
        try #require(await eventually { fixture.clock.waiting == 1 })
        for clock in [fixture.clock, server.clock] { clock.advance(by: .hours(3)) }
        #expect(await eventually { phone.lastSyncTime.current == at("11:00") })
        try await fixture.client.stop()
        server.setAway(true)
        let (_, again) = try await device("phone", directory: fixture.directory)
        #expect(again.lastSyncTime.current == at("11:00"))
        #expect(await again.positions.position?.entryId == "a")
    }

    @Test("a 404 of something before the server takes nothing away")
    func strangeNotFound() async throws {
        let entries = try tickEntries(["08:00", "09:00"])
        server.write(tick("09:00"), device: "tablet", "08:00")
        let (_, phone) = try await device("phone")
        #expect(await phone.restorationSuggestions(for: entries).map(\.index) == [1])
        server.fail(with: .json("<html>", status: 404))
        guard case .error = await phone.syncAcrossDevices() else {
            Issue.record("\(phone.syncStatus.current)")
            return
        }
        #expect(await phone.positions.devices.map(\.deviceId) == ["tablet"])
        await phone.dismissRestorationSuggestions()
        server.fail(with: .json("<html>", status: 404))
        await phone.syncAcrossDevices()
        #expect(await phone.exportStateForDebugging().pending == 1)
        await phone.syncAcrossDevices()
        #expect(server.positions.dismissed.map(\.entryId) == [tick("09:00")])
    }

    @Test("the server may say when to come again, by its own clock")
    func comeAgain() async throws {
        let (_, phone) = try await device("phone")
        await phone.recordPosition(entryId: "a", scrollOffset: 0)
        // The server's clock is twelve hours ahead.
        let dates = ["Date": PositionServer.date(at("20:00")), "Retry-After": PositionServer.date(at("20:01:30"))]
        server.fail(with: .status(503, dates))
        let busy = SyncStatus.error(message: "HTTP 503: The server has failed", retryAt: at("08:01:30"))
        #expect(await phone.syncAcrossDevices() == busy)
        server.fail(with: .status(503, ["Retry-After": "tomorrow"]))
        let soon = SyncStatus.error(message: "HTTP 503: The server has failed", retryAt: at("08:00:01.500"))
        #expect(await phone.syncAcrossDevices() == soon)
    }
}
