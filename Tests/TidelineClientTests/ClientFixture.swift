import Foundation
import TestSupport
import Testing
import TidelineClient

/// A client in a folder of its own, with a server and a clock that the test plays.
struct ClientFixture {
    let transport: FakeTransport
    let clock: ManualClock
    let directory: URL
    let client: TidelineClient

    init(
        _ transport: FakeTransport = FakeTransport(), clock: ManualClock = ManualClock(), directory: URL? = nil,
        device: String? = "phone", token: BearerToken? = "secret-token", settings: ClientSettings = ClientSettings(),
        log: (@Sendable (String) -> Void)? = nil
    ) throws {
        self.transport = transport
        self.clock = clock
        self.directory = directory ?? TemporaryDirectory.make("client")
        var configuration = ClientConfiguration(
            baseURL: try #require(URL(string: "http://server.test/base/")), token: token, readerId: "ana",
            deviceId: device, directory: self.directory, transport: transport)
        configuration.settings = settings
        configuration.clock = clock
        configuration.random = { 0.5 }
        configuration.log = log
        client = try TidelineClient(configuration: configuration)
    }

    /// Another client on the same folder, as after a restart of the app.
    func restarted(_ settings: ClientSettings? = nil) throws -> ClientFixture {
        try ClientFixture(
            transport, clock: clock, directory: directory, device: client.configuration.deviceId,
            settings: settings ?? client.configuration.settings)
    }
}

/// A timeline as the server sends it, with a `tick` entry for each time.
func timelineJSON(
    _ id: String = "wall", recipient: String = "ana", revision: Int = 1, entries: [String] = ["08:00", "09:00"]
) -> String {
    let list = entries.map { time in
        let date = at(time).rfc3339
        return """
            {"id":"tick/\(date)","date":"\(date)","phase":"tick","parameters":{"big":12345678901234567890.50}}
            """
    }
    return """
        {"configurationId":"\(id)","kind":"Board","family":"systemMedium","recipient":"\(recipient)",\
        "revision":\(revision),"generatedAt":"\(at("08:00").rfc3339)","entries":[\(list.joined(separator: ","))],\
        "refreshCount":\(revision),"policy":{"type":"after","date":"\(at("10:00").rfc3339)"},\
        "nextUpdate":"\(at("10:00").rfc3339)","sources":[]}
        """
}

extension TransportResponse {
    /// A refusal as a server of Tideline gives it; the type is its last part, such as `not-found`.
    static func problem(_ type: String, status: Int, _ headers: [String: String] = [:]) -> TransportResponse {
        .json(#"{"type":"urn:tideline:problem:\#(type)","title":"No","status":\#(status)}"#, status: status, headers)
    }
}

/// Entries as an app shows them.
func tickEntries(_ times: [String]) throws -> [TimelineEntry] {
    try PublishedTimeline(json: timelineJSON(entries: times).utf8).timeline.entries
}

func tick(_ time: String) -> String { "tick/\(at(time).rfc3339)" }
