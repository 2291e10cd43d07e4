import Foundation
import TestSupport
import Testing

@testable import TidelineClient

@Suite("Entries are loaded around the reader")
struct EntryWindowTests {
    private static let times = (0..<12).map { String(format: "%02d:00", $0 + 8) }

    /// Serves a timeline of twelve entries; around an entry it gives four.
    private static let server: FakeTransport.Answer = { request in
        let items = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        let query = Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.value ?? "") })
        guard request.url.lastPathComponent == "entries" else { return .json(timelineJSON(entries: times)) }
        var range = 0..<12
        var position = ""
        if let around = query["around"] {
            guard let index = times.firstIndex(where: { tick($0) == around }) else { return .json("{}", status: 404) }
            range = max(0, index - 1)..<min(12, index + 3)
            position = ",\"position\":\(index)"
        } else {
            let (offset, limit) = (Int(query["offset"] ?? "") ?? 0, Int(query["limit"] ?? "") ?? 100)
            range = min(12, offset)..<min(12, offset + limit)
        }
        let entries = times[range].map { #"{"id":"\#(tick($0))","date":"\#(at($0).rfc3339)","phase":"tick"}"# }
        return .json(
            #"{"items":[\#(entries.joined(separator: ","))],"first":\#(range.lowerBound),"total":12\#(position)}"#)
    }

    private func fixture(size: Int, ahead: Int, _ change: (inout ClientSettings) -> Void = { _ in }) throws
        -> ClientFixture
    {
        var settings = ClientSettings()
        settings.positions.scrollBufferSize = size
        settings.positions.renderAheadCount = ahead
        change(&settings)
        return try ClientFixture(FakeTransport(Self.server), settings: settings)
    }

    @Test("the window has its size, and so many entries come after the reader")
    func ranges() {
        func range(_ position: Int, _ count: Int, _ size: Int, _ ahead: Int) -> Range<Int> {
            var settings = PositionSettings()
            (settings.scrollBufferSize, settings.renderAheadCount) = (size, ahead)
            return EntryRange(around: position, of: count, settings).range
        }
        #expect(range(50, 100, 20, 5) == 40..<60)
        #expect(range(0, 100, 20, 5) == 0..<20)
        #expect(range(99, 100, 20, 5) == 80..<100)
        #expect(range(50, 100, 6, 5) == 50..<56)
        #expect(range(50, 100, 3, 5) == 50..<53)
        #expect(range(2, 4, 20, 5) == 0..<4)
        #expect(range(0, 0, 20, 5) == 0..<0)
        for (size, ahead) in [(1, 0), (7, 2), (20, 19)] {
            for position in 0..<40 {
                let found = range(position, 40, size, ahead)
                #expect(found.count == min(size, 40) && found ~= position)
                #expect(found.upperBound - position - 1 >= min(ahead, 39 - position))
            }
        }
    }

    @Test("one request is enough where the server's bounds will do, and a second one brings more")
    func lazy() async throws {
        let small = try fixture(size: 3, ahead: 1)
        let window = try await small.client.entries(of: "wall", around: tick("12:00"))
        #expect(window.position == 4 && window.first == 3 && window.total == 12)
        #expect(small.transport.requests.count == 1)
        let large = try fixture(size: 8, ahead: 5)
        let more = try await large.client.entries(of: "wall", around: tick("12:00"))
        #expect(more.entries.map(\.id) == Self.times[2..<10].map(tick) && more.first == 2 && more.position == 4)
        #expect(large.transport.requests.count == 2)
    }

    @Test("without the entry the first ones are shown")
    func gone() async throws {
        let fixture = try fixture(size: 4, ahead: 1)
        for around in [nil, "tick/gone"] {
            let window = try await fixture.client.entries(of: "wall", around: around)
            #expect(window.entries.map(\.id) == Self.times[..<4].map(tick) && window.position == nil)
        }
    }

    @Test("without lazy loading, and with cloudSync off, the server does not learn where the reader is")
    func unseen() async throws {
        for off in [\ClientSettings.positions.lazyLoading, \.positions.cloudSync] {
            let fixture = try fixture(size: 4, ahead: 1) { $0[keyPath: off] = false }
            let window = try await fixture.client.entries(of: "wall", around: tick("12:00"))
            #expect(window.entries.map(\.id) == Self.times[2..<6].map(tick))
            #expect(window.position == 4 && window.first == 2 && window.total == 12)
            #expect(fixture.transport.calls == ["GET /base/v1/timelines/wall"])
            #expect(fixture.transport.requests.allSatisfy { $0.url.query() == nil })
        }
    }

    @Test("offline they come from the cache")
    func offline() async throws {
        let fixture = try fixture(size: 4, ahead: 1)
        _ = try await fixture.client.timeline(for: "wall")
        fixture.transport.answer { _ in throw FakeTransport.Offline() }
        let window = try await fixture.client.entries(of: "wall", around: tick("12:00"))
        #expect(window.entries.map(\.id) == Self.times[2..<6].map(tick) && window.position == 4)
        await #expect(throws: TidelineError.self) { try await fixture.client.entries(of: "other") }
    }
}
