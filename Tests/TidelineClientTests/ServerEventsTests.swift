import Foundation
import TestSupport
import Testing

@testable import TidelineClient

@Suite("Events come over lost connections", .timeLimit(.minutes(10)))
struct ServerEventsTests {
    private func timelineEvent(_ id: String, revision: Int, name: String = "wall") -> String {
        let value = timelineJSON(name, revision: revision)
        return "event: timeline\nid: \(id)\ndata: {\"configurationId\":\"\(name)\",\"value\":\(value)}\n\n"
    }

    /// The events of a client, in a task of their own, so that the test can move clock and server meanwhile.
    private final class Listener: Sendable {
        let heard = Locked<[ServerEvent]>([])
        let failure = Locked<TidelineError?>(nil)
        private let task: Locked<Task<Void, Never>?> = Locked(nil)

        init(_ events: ServerEvents) {
            task.withLock {
                $0 = Task { [heard, failure] in
                    do {
                        for try await event in events { heard.withLock { $0.append(event) } }
                    } catch {
                        failure.withLock { $0 = error as? TidelineError }
                    }
                }
            }
        }

        var events: [ServerEvent] { heard.withLock { $0 } }

        func cancel() { task.withLock { $0 }?.cancel() }

        func hears(_ count: Int) async -> Bool { await eventually { self.events.count >= count } }

        func ends() async { await task.withLock { $0 }?.value }
    }

    @Test("all kinds of events are read, and timelines go to the cache")
    func kinds() async throws {
        let fixture = try ClientFixture()
        fixture.transport.openStreams()
        let listener = Listener(fixture.client.events(EventFilter(configurationId: "wall", recipient: "ana")))
        try #require(await listener.hears(1))
        let query = fixture.transport.requests.first?.url.query(percentEncoded: true)
        #expect(query == "types=timelines%2Creloads%2Cpositions&configurationId=wall&recipient=ana&readerId=ana")
        fixture.transport.push("retry: 2000\nid: 0\n\n" + timelineEvent("1", revision: 3))
        fixture.transport.push(
            """
            event: reload
            data: {"value":{"recipient":"ana","kind":"Board","configurationIds":["wall"],"reason":"later"}}

            event: position
            data: {"value":{"readerId":"ana","configurationId":"wall","devices":[],"readEntries":[],"dismissed":[]}}

            event: position
            data: {"readerId":"ana","configurationId":"wall"}

            event: timeline
            data: {"configurationId":"old"}

            event: newer
            data: {}

            event: gap
            data: {"types":["reloads"]}

            event: timeline
            data: {"value":{}}


            """)
        try #require(await listener.hears(8))
        let events = listener.events
        #expect(events[0] == .connected)
        guard case .timeline(let timeline) = events[1] else {
            Issue.record("\(events)")
            return
        }
        #expect(timeline.revision == 3)
        let reload = ReloadEvent(recipient: "ana", kind: "Board", configurationIds: ["wall"], reason: "later")
        #expect(events[2] == .reload(reload))
        let position = MergedPosition(readerId: "ana", configurationId: "wall", position: nil, devices: [])
        #expect(events[3] == .position(position))
        #expect(events[4] == .positionRemoved(readerId: "ana", configurationId: "wall"))
        #expect(events[5] == .timelineRemoved(configurationId: "old"))
        // What cannot be read was missed.
        #expect(events[6...] == [.gap, .gap])
        #expect(await fixture.client.cachedTimeline(for: "wall")?.timeline.revision == 3)
        listener.cancel()
        await listener.ends()
        #expect(listener.failure.withLock { $0 } == nil)
    }

    @Test("a new connection resumes behind the last event, after the server's time and with more patience each time")
    func resume() async throws {
        let fixture = try ClientFixture()
        fixture.transport.openStreams()
        let listener = Listener(fixture.client.events(EventFilter([.timelines])))
        try #require(await listener.hears(1))
        fixture.transport.push("retry: 5000\nid: 41\n\n" + timelineEvent("42", revision: 1) + "id: 43\ndata: cut")
        try #require(await listener.hears(2))
        fixture.transport.openStreams(nil)
        fixture.transport.endStream(FakeTransport.Offline())
        try #require(await listener.hears(3))
        guard case .disconnected(.unreachable, let retryAt) = listener.events[2] else {
            Issue.record("\(listener.events)")
            return
        }
        // The server asked for 5 s, which is more than the first wait.
        #expect(retryAt == at("08:00:05"))
        var waits: [ElapsedTime] = []
        for count in 4...7 {
            try #require(await eventually { fixture.clock.waiting > 0 })
            let wait = try #require(fixture.clock.nextDue)
            waits.append(wait)
            fixture.clock.advance(by: wait)
            try #require(await listener.hears(count))
        }
        // From 1 s on it doubles, to a minute at most; chance takes a quarter here.
        #expect(waits == [.seconds(5), .seconds(5), .seconds(5), .seconds(6)])
        fixture.transport.openStreams()
        #expect(await eventually { fixture.clock.waiting > 0 })
        fixture.clock.advance(by: .minutes(1))
        try #require(await listener.hears(8))
        #expect(fixture.transport.requests.last?.headers["Last-Event-ID"] == "42")
        fixture.transport.push(timelineEvent("44", revision: 2))
        try #require(await listener.hears(9))
        guard case .timeline(let timeline) = listener.events[8] else {
            Issue.record("\(listener.events)")
            return
        }
        #expect(timeline.revision == 2)
        // What was heard has ended the patience: the next loss waits as the first one did.
        fixture.transport.endStream()
        try #require(await listener.hears(10))
        guard case .disconnected(_, let next) = listener.events[9] else {
            Issue.record("\(listener.events)")
            return
        }
        #expect(next - fixture.clock.now == .seconds(5))
        listener.cancel()
        await listener.ends()
    }

    @Test("heartbeats keep a connection; one on which nothing is heard is given up")
    func silence() async throws {
        let fixture = try ClientFixture()
        fixture.transport.openStreams()
        let listener = Listener(fixture.client.events())
        try #require(await listener.hears(1))
        // The watch sleeps until 45 s after the last that it knew of, and looks again; the clock moves while it sleeps.
        for number in 1...4 {
            try #require(await eventually { fixture.clock.nextDue == .seconds(number == 1 ? 45 : 15) })
            fixture.transport.push(": heartbeat\nid: h\(number)\n\n")
            try #require(await eventually { fixture.transport.isRead })
            fixture.clock.advance(by: .seconds(30))
        }
        try #require(await eventually { fixture.clock.nextDue == .seconds(15) })
        #expect(listener.events == [.connected])
        fixture.clock.advance(by: .seconds(46))
        try #require(await listener.hears(2))
        guard case .disconnected(.unreachable(let reason), _) = listener.events[1] else {
            Issue.record("\(listener.events)")
            return
        }
        #expect(reason == "Nothing was heard for 45 s.")
        #expect(await eventually { fixture.clock.waiting > 0 })
        fixture.clock.advance(by: .minutes(1))
        try #require(await listener.hears(3))
        #expect(fixture.transport.streams == 2)
        #expect(fixture.transport.requests.last?.headers["Last-Event-ID"] == "h4")
        listener.cancel()
        await listener.ends()
    }

    @Test("a server that accepts a connection and says nothing counts as lost, and cancelling ends that, too")
    func mute() async throws {
        let fixture = try ClientFixture()
        fixture.transport.openStreams()
        fixture.transport.setMute(true)
        let listener = Listener(fixture.client.events())
        #expect(await eventually { fixture.clock.waiting == 1 })
        fixture.clock.advance(by: .seconds(45))
        try #require(await listener.hears(1))
        guard case .disconnected(.unreachable(let reason), _) = listener.events[0] else {
            Issue.record("\(listener.events)")
            return
        }
        #expect(reason == "Nothing was heard for 45 s.")
        #expect(await eventually { fixture.clock.waiting == 1 })
        fixture.clock.advance(by: .seconds(1))
        #expect(await eventually { fixture.clock.nextDue == .seconds(45) })
        listener.cancel()
        await listener.ends()
        #expect(listener.events.count == 1 && listener.failure.withLock { $0 } == nil)
    }

    @Test("a refusal ends the sequence, a busy server does not")
    func refusal() async throws {
        let fixture = try ClientFixture()
        fixture.transport.openStreams(TransportHead(status: 503, headers: ["Retry-After": "9"]))
        let listener = Listener(fixture.client.events())
        try #require(await listener.hears(1))
        guard case .disconnected(.refused, let retryAt) = listener.events[0] else {
            Issue.record("\(listener.events)")
            return
        }
        #expect(retryAt == at("08:00:09"))
        fixture.transport.openStreams(TransportHead(status: 401))
        #expect(await eventually { fixture.clock.waiting > 0 })
        fixture.clock.advance(by: .seconds(9))
        await listener.ends()
        guard case .refused(let problem)? = listener.failure.withLock({ $0 }) else {
            Issue.record("\(String(describing: listener.failure.withLock { $0 }))")
            return
        }
        #expect(problem.status == 401 && listener.events.count == 1)
    }

    @Test("with cloudSync off nobody asks for positions")
    func cloudSyncOff() async throws {
        var settings = ClientSettings()
        settings.positions.cloudSync = false
        let fixture = try ClientFixture(settings: settings)
        fixture.transport.openStreams()
        let none = Listener(fixture.client.events(EventFilter([.positions])))
        await none.ends()
        #expect(fixture.transport.requests.isEmpty && none.events.isEmpty)
        let listener = Listener(fixture.client.events())
        try #require(await listener.hears(1))
        #expect(fixture.transport.requests.first?.url.query() == "types=timelines%2Creloads")
        listener.cancel()
        await listener.ends()
    }
}
