import Foundation
import Settings
import Sinks
import Testing

@testable import tideline

/// What sinks over HTTP have of their own in the settings. No broker.
@Suite struct NamedHTTPSinkTests {
    private static func settings(_ text: String) throws -> Settings {
        try Keys.schema.resolve(SettingsSources(file: .init(path: "t.yaml", text: text)))
    }

    private static let general = "whsec_" + Data(repeating: 1, count: 32).base64EncodedString()
    private static let own = "whsec_" + Data(repeating: 2, count: 32).base64EncodedString()

    /// Reads the settings that the sink runs with, or what is wrong with them.
    private func read(
        _ name: String, _ settings: Settings
    ) throws -> (http: HTTPTimelinesSettings?, problems: [String]) {
        let sink = try #require(settings[Keys.sinks][name])
        guard case .sent(let address) = sink.target else { return (nil, ["it sends nothing"]) }
        var reading = DeliverySettingsReading(settings)
        let http = reading.timelines(address, of: sink)
        return (http, reading.problems)
    }

    @Test("each sink has its own secret, hosts and batch, and the general ones where it has none")
    func own() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "secret-\(UUID().uuidString)")
        try Data((Self.own + "\n").utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let settings = try Self.settings(
            """
            webhook.secret: \(Self.general)
            sink.http.hosts: ['*.general.example']
            sink.http.batch: 7
            sinks:
              phones:
                to: https://{recipient}.phones.example/told
                secret: \(Self.own)
                hosts: ['*.phones.example', one.example]
                batch: 50
              filed:
                to: https://filed.example/{configurationId}
                secret-file: \(file.path)
                hosts: filed.example
                batch: 1
              boards:
                to: https://{recipient}.general.example/told
            """)
        let phones = try #require(try read("phones", settings).http)
        #expect(phones.secret == WebhookSecret(Self.own) && phones.batch == 50)
        #expect(phones.hosts.map(\.text) == ["*.phones.example", "one.example"])
        #expect(phones.names.secret == "sinks.phones.secret" && phones.names.hosts == "sinks.phones.hosts")
        let filed = try #require(try read("filed", settings).http)
        #expect(filed.secret == WebhookSecret(Self.own) && filed.batch == 1)
        #expect(filed.hosts.map(\.text) == ["filed.example"])
        let boards = try #require(try read("boards", settings).http)
        #expect(boards.secret == WebhookSecret(Self.general) && boards.batch == 7)
        #expect(boards.hosts.map(\.text) == ["*.general.example"] && boards.names == HTTPTimelinesSettings.Names())
        let shown = settings.description
        #expect(!shown.contains(Self.own) && !shown.contains(Self.general) && shown.contains("********"))
        #expect(!"\(settings[Keys.sinks])".contains(Self.own) && !"\(phones)".contains("bytes"))
    }

    @Test("what is wrong is said with its place and line, and what is allowed; no secret is in it")
    func wrong() throws {
        let text = """
            sinks:
              phones:
                to: https://t.example/{configurationId}
                secret: hunter2
                batch: 2
                hosts: ['*']
              boards:
                to: https://t.example/told
                secret: \(Self.own)
                secret-file: s.txt
                batch: 0
              files:
                to: files:out
                secret: hunter2
              log:
                reloads: sqlite:t.db
                hosts: [t.example]
            """
        var problems = ""
        do {
            _ = try Self.settings(text)
        } catch {
            problems = "\(error)"
        }
        for (line, place, message) in [
            (4, "phones.secret", "must be 24 to 64 bytes"), (5, "phones.batch", "must be 1 where the address has"),
            (6, "phones.hosts", "must be a list, each a host such as phones.example"),
            (10, "boards.secret-file", "cannot be beside secret"),
            (11, "boards.batch", "must be a whole number from 1 to 10000"),
            (14, "files.secret", "is of sinks over HTTP"), (17, "log.hosts", "cannot be beside reloads"),
        ] {
            let told = problems.split(separator: "\n").first { $0.contains("sinks.\(place): ") }
            #expect(told?.contains(message) == true, "\(place): \(problems)")
            #expect(told?.hasPrefix("t.yaml:\(line): ") == true, "\(place): \(problems)")
        }
        #expect(!problems.contains("hunter2") && !problems.contains(Self.own))
    }

    @Test("what a sink needs and nobody has set is said with where to set it")
    func missing() throws {
        let settings = try Self.settings(
            """
            sink.http.batch: 5
            sinks:
              phones:
                to: https://{recipient}.phones.example/{configurationId}
              lost:
                to: https://t.example/told
                secret-file: /nowhere/s.txt
            """)
        let phones = try read("phones", settings).problems
        #expect(phones.count == 3, "\(phones)")
        #expect(phones[0].hasPrefix("sinks.phones.to has {recipient} in its host"))
        #expect(phones[0].hasSuffix("hosts: ['*.phones.example'] in sinks.phones"))
        #expect(phones[1].contains("the address of sinks.phones") && phones[1].contains("batch: 1 in sinks.phones"))
        #expect(phones[2].hasPrefix("webhook.secret is missing") && phones[2].hasSuffix("or secret in sinks.phones"))
        let lost = try read("lost", settings).problems
        #expect(lost.first?.hasPrefix("sinks.lost.secret-file is '/nowhere/s.txt'") == true, "\(lost)")
    }
}
