import Foundation
import TestSupport
import Testing

@testable import TidelineClient

@Suite("Timelines come from the cache first, then from the server")
struct TimelineLoadingTests {
    private func answering(_ revision: Int, etag: String) -> FakeTransport.Answer {
        { request in
            if request.headers["If-None-Match"] == etag { return .status(304, ["ETag": etag]) }
            return .json(timelineJSON(revision: revision), ["ETag": etag])
        }
    }

    private func loaded(_ updates: TimelineUpdates) async throws -> [LoadedTimeline] {
        var all: [LoadedTimeline] = []
        for try await loaded in updates { all.append(loaded) }
        return all
    }

    @Test("the cached one comes first, then the new one; what did not change is not sent again")
    func cachedFirst() async throws {
        let fixture = try ClientFixture(FakeTransport(answering(1, etag: "\"1-a\"")))
        let first = try await loaded(fixture.client.timelines(for: "wall"))
        #expect(first.map(\.source) == [.server] && first.map(\.timeline.revision) == [1])

        fixture.clock.advance(by: .minutes(1))
        let again = try await loaded(fixture.restarted().client.timelines(for: "wall"))
        #expect(again.map(\.source) == [.cache(at: at("08:00")), .server])
        #expect(again[0].timeline == again[1].timeline)
        #expect(fixture.transport.requests.last?.headers["If-None-Match"] == "\"1-a\"")

        fixture.transport.answer(answering(2, etag: "\"2-b\""))
        let changed = try await loaded(fixture.client.timelines(for: "wall"))
        // A 304 says that the server had it then.
        #expect(changed.map(\.source) == [.cache(at: at("08:01")), .server])
        #expect(changed.map(\.timeline.revision) == [1, 2])
    }

    @Test("each request has the token, the base path and encoded names")
    func requests() async throws {
        let fixture = try ClientFixture(FakeTransport { _ in .json(timelineJSON("a/b ä?")) })
        _ = try await fixture.client.timeline(for: "a/b ä?")
        let request = try #require(fixture.transport.requests.first)
        #expect(request.url.absoluteString == "http://server.test/base/v1/timelines/a%2Fb%20%C3%A4%3F")
        #expect(request.headers["Authorization"] == "Bearer secret-token")
        fixture.client.setToken("other")
        _ = try await fixture.client.timeline(for: "a/b ä?")
        #expect(fixture.transport.requests.last?.headers["Authorization"] == "Bearer other")
    }

    @Test("offline, the cache answers; without a cache the reason is an error, after what the device had")
    func offline() async throws {
        let fixture = try ClientFixture(FakeTransport(answering(1, etag: "\"1\"")))
        _ = try await fixture.client.timeline(for: "wall")
        fixture.transport.answer { _ in throw FakeTransport.Offline() }
        let shown = try await fixture.restarted().client.timeline(for: "wall")
        #expect(shown.source == .cache(at: at("08:00")) && shown.timeline.revision == 1)
        await #expect(throws: TidelineError.self) { try await fixture.client.timeline(for: "other") }

        var updates = fixture.client.timelines(for: "wall").makeAsyncIterator()
        #expect(try await updates.next()?.source == .cache(at: at("08:00")))
        let error = await #expect(throws: TidelineError.self) { try await updates.next() }
        guard case .unreachable? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await updates.next() == nil)
    }

    @Test("a server that is busy counts as away; a refusal does not, and says why")
    func refusals() async throws {
        let fixture = try ClientFixture(FakeTransport(answering(1, etag: "\"1\"")))
        _ = try await fixture.client.timeline(for: "wall")
        fixture.transport.answer { _ in .status(503, ["Retry-After": "7"]) }
        #expect(try await fixture.client.timeline(for: "wall").source == .cache(at: at("08:00")))
        fixture.transport.answer { _ in
            .json(
                #"{"title":"No","status":401,"detail":"The token expired."}"#,
                status: 401)
        }
        let error = await #expect(throws: TidelineError.self) { try await fixture.client.timeline(for: "wall") }
        #expect(error?.description == "HTTP 401: No. The token expired.")
        // A new login may come: the cache stays.
        #expect(await fixture.client.cachedTimeline(for: "wall") != nil)
    }

    @Test("what is gone is not shown offline any more")
    func gone() async throws {
        let fixture = try ClientFixture(FakeTransport(answering(1, etag: "\"1\"")))
        _ = try await fixture.client.timeline(for: "wall")
        // A proxy and a captive portal know nothing of it.
        fixture.transport.answer { _ in .json("{}", status: 404) }
        await #expect(throws: TidelineError.self) { try await fixture.client.timeline(for: "wall") }
        #expect(await fixture.client.cachedTimeline(for: "wall") != nil)
        fixture.transport.answer { _ in .problem("not-found", status: 404) }
        await #expect(throws: TidelineError.self) { try await fixture.client.timeline(for: "wall") }
        #expect(await fixture.client.cachedTimeline(for: "wall") == nil)
    }

    @Test("an answer that is no timeline, or another's, is an error and is not kept")
    func wrongAnswers() async throws {
        let fixture = try ClientFixture(FakeTransport { _ in .json("<html>") })
        await #expect(throws: TidelineError.self) { try await fixture.client.timeline(for: "wall") }
        fixture.transport.answer { _ in .json(timelineJSON("other")) }
        let error = await #expect(throws: TidelineError.self) { try await fixture.client.timeline(for: "wall") }
        #expect(error == .unreadable("configurationId must be wall, not other"))
        #expect(await fixture.client.cachedTimeline(for: "wall") == nil)
    }

    @Test("the cache holds so many timelines; the one that was used least recently goes")
    func bounds() async throws {
        var settings = ClientSettings()
        settings.positions.maxCacheSize = 2
        let fixture = try ClientFixture(
            FakeTransport { .json(timelineJSON($0.url.lastPathComponent)) }, settings: settings)
        for id in ["a", "b"] {
            _ = try await fixture.client.timeline(for: id)
            fixture.clock.advance(by: .seconds(1))
        }
        #expect(await fixture.client.cachedTimeline(for: "a") != nil)
        fixture.clock.advance(by: .seconds(1))
        _ = try await fixture.client.timeline(for: "c")
        let restarted = try fixture.restarted()
        #expect(await restarted.client.cachedTimeline(for: "b") == nil)
        #expect(await restarted.client.cachedTimeline(for: "a") != nil)
        #expect(await restarted.client.cachedTimeline(for: "c") != nil)
    }

    @Test("memory has its own bound, and maintenance brings the disk within its")
    func memory() async throws {
        var settings = ClientSettings()
        settings.memoryWarningThreshold = timelineJSON("a").utf8.count * 2
        let fixture = try ClientFixture(
            FakeTransport { .json(timelineJSON($0.url.lastPathComponent)) }, settings: settings)
        for id in ["a", "b", "c", "d"] {
            _ = try await fixture.client.timeline(for: id)
            fixture.clock.advance(by: .seconds(1))
            #expect(await fixture.client.cache.memoryBytes <= settings.memoryWarningThreshold)
        }
        #expect(await fixture.client.cache.memoryBytes == settings.memoryWarningThreshold)
        #expect(await fixture.client.cachedTimeline(for: "a") != nil)
        settings.positions.maxCacheSize = 1
        let smaller = try fixture.restarted(settings)
        try await smaller.client.performMaintenance()
        #expect(await smaller.client.cachedTimeline(for: "d") == nil)
        #expect(await smaller.client.cachedTimeline(for: "a") != nil)
    }

    @Test("a file that is damaged is as good as none, and an app and its widget see each other's")
    func files() async throws {
        let fixture = try ClientFixture(FakeTransport(answering(1, etag: "\"1\"")))
        _ = try await fixture.client.timeline(for: "wall")
        let widget = try fixture.restarted()
        fixture.transport.answer(answering(2, etag: "\"2\""))
        _ = try await widget.client.timeline(for: "wall")
        #expect(await fixture.client.cachedTimeline(for: "wall")?.timeline.revision == 2)
        let folder = fixture.directory.appending(path: "timelines")
        let file = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).first)
        let bytes = try Data(contentsOf: folder.appending(path: file))
        try bytes.dropLast(9).write(to: folder.appending(path: file))
        #expect(await fixture.client.cachedTimeline(for: "wall") == nil)
        #expect(try await fixture.client.timeline(for: "wall").source == .server)
    }

    @Test("long and strange names have files of their own")
    func names() async throws {
        let fixture = try ClientFixture(FakeTransport { .json(timelineJSON($0.url.lastPathComponent)) })
        let ids = [String(repeating: "x", count: 400), String(repeating: "x", count: 401), "..", "X", "x"]
        for id in ids {
            fixture.transport.answer { _ in .json(timelineJSON(id)) }
            _ = try await fixture.client.timeline(for: id)
        }
        for id in ids { #expect(await fixture.client.cachedTimeline(for: id)?.timeline.configurationId == id) }
    }

    @Test("an answer that an event has overtaken does not replace the newer timeline", arguments: [false, true])
    func overtaken(isNotModified: Bool) async throws {
        let fixture = try ClientFixture(FakeTransport(answering(1, etag: "\"1\"")))
        let client = fixture.client
        _ = try await client.timeline(for: "wall")
        if !isNotModified { fixture.transport.answer(answering(2, etag: "\"2\"")) }
        let body = Data(timelineJSON(revision: 3).utf8)
        let newer = CachedTimeline(
            timeline: try PublishedTimeline(json: body), body: body, etag: nil, fetchedAt: at("08:00"))
        fixture.transport.hold { await client.keep(newer, for: "wall") }
        let shown = try await client.timeline(for: "wall")
        #expect(shown.source == .server && shown.timeline.revision == (isNotModified ? 1 : 2))
        #expect(await client.cachedTimeline(for: "wall")?.timeline.revision == 3)
        #expect(await (try fixture.restarted()).client.cachedTimeline(for: "wall")?.timeline.revision == 3)
    }

    @Test("names of files differ where capitals count as small letters, too")
    func caseInsensitive() {
        let long = String(repeating: "a", count: 151)
        let names = ["ana", "Ana", "ANA", "a%6ea", "%41na", "a~b", "ä", "Ä", "x.y", ".", "..", long, "A" + long]
        let files = names.map { FileName.of($0) } + [FileName.of(FileName.of(long))]
        #expect(Set(files.map { $0.lowercased() }).count == files.count)
        #expect(files.allSatisfy { !$0.contains("/") && $0.utf8.count <= 150 && $0 != "." && $0 != ".." })
        #expect(FileName.of("wall-2_b") == "wall-2_b")
    }

    @Test("a recipient's timelines come page by page, and offline from the cache")
    func recipient() async throws {
        let fixture = try ClientFixture(
            FakeTransport { request in
                let query = request.url.query(percentEncoded: false) ?? ""
                guard query.contains("after=b") else {
                    return .json(#"{"items":[\#(timelineJSON("a")),\#(timelineJSON("b"))],"next":"b"}"#)
                }
                return .json(#"{"items":[\#(timelineJSON("c"))]}"#)
            })
        let online = try await fixture.client.timelines(ofRecipient: "ana")
        #expect(
            online.map(\.timeline.configurationId) == ["a", "b", "c"] && online.allSatisfy { $0.source == .server })
        #expect(fixture.transport.calls == Array(repeating: "GET /base/v1/recipients/ana/timelines", count: 2))
        fixture.transport.answer { _ in throw FakeTransport.Offline() }
        let offline = try await fixture.restarted().client.timelines(ofRecipient: "ana")
        #expect(offline.map(\.timeline) == online.map(\.timeline))
        await #expect(throws: TidelineError.self) { try await fixture.client.timelines(ofRecipient: "ben") }
        // A server that goes round in circles does not hold the client.
        fixture.transport.answer { _ in .json(#"{"items":[],"next":"b"}"#) }
        await #expect(throws: TidelineError.self) { try await fixture.client.timelines(ofRecipient: "ana") }
    }
}
