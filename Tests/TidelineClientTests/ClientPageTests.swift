import Foundation
import TestSupport
import Testing
import TidelineClient

@Suite("Documentation/Client.md shows what is compiled", .timeLimit(.minutes(10)))
struct ClientPageTests {
    private static func lines(_ path: String) throws -> [String] {
        try String(contentsOf: PackageRoot.url.appending(path: path), encoding: .utf8)
            .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// The blocks of Swift on the page, but for the manifest's.
    private static func snippets() throws -> [[String]] {
        var snippets: [[String]] = []
        var open: [String]?
        for line in try lines("Documentation/Client.md") {
            switch (line, open) {
            case ("```swift", nil): open = []
            case ("```", let lines?):
                if lines.first?.hasPrefix(".package") != true { snippets.append(lines) }
                open = nil
            case (_, let lines?): open = lines + [line]
            default: break
            }
        }
        return snippets
    }

    @Test("each snippet stands in ClientPage, line by line")
    func snippets() throws {
        let source = try Self.lines("Tests/TidelineClientTests/ClientPage.swift")
        let snippets = try Self.snippets()
        #expect(snippets.count == 12)
        for snippet in snippets {
            // Lines that only the test needs may stand between them.
            var rest = source[...]
            for line in snippet {
                guard let index = rest.firstIndex(of: line) else {
                    Issue.record("not compiled: \(line)")
                    break
                }
                #expect(line == snippet.first || index - rest.startIndex <= 1, "\(line)")
                rest = rest[(index + 1)...]
            }
        }
    }

    @Test("the snippets do what the page says")
    func run() async throws {
        let folder = TemporaryDirectory.make("page")
        let file = folder.appending(path: "Settings.plist")
        try Data("<plist version=\"1.0\"><dict/></plist>".utf8).write(to: file)
        let transport = FakeTransport { request in
            if request.url.path().contains("/positions/") { return .status(404) }
            return .json(timelineJSON("studio-wall"))
        }
        let page = ClientPage(
            address: try #require(URL(string: "http://server.test")), token: "t", folder: folder, file: file,
            transport: transport)
        let client = try page.makeClient()
        try await page.showUpdates(client)
        let entries = try await client.timeline(for: "studio-wall").timeline.timeline.entries
        #expect(try await page.inForce(client) == entries.last)
        let store = try await page.restore(client, entries)
        await page.record(store, tick("08:00"), 3)
        await page.suggest(store, entries)
        await page.dismiss(store)
        transport.answer { _ in throw FakeTransport.Offline() }
        #expect(await page.sync(store) == .offline(pending: 1))
        let status = Task { await page.showStatus(store) }
        #expect(await eventually { page.said.withLock { $0.contains("1 waiting") } })
        status.cancel()
        try await page.showWindow(client, tick("09:00"))
        transport.openStreams()
        let events = Task { try await page.follow(client, store) }
        #expect(await eventually { transport.streams == 1 })
        transport.push("event: gap\ndata: {}\n\n")
        #expect(await eventually { page.said.withLock { $0.contains("reload") } })
        events.cancel()
        try await page.end(client, store)
        #expect(
            page.said.withLock { $0 }.filter { $0 != "1 waiting" } == [
                "2 entries, current: true", "scroll to 1", "2 entries, current: true", "reload",
            ])
    }
}
