import Foundation
import TestSupport
import Testing

@testable import TidelineClient

@Suite("Settings come from a property list")
struct ClientSettingsTests {
    private func list(_ body: String) -> Data {
        Data(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>\(body)</dict></plist>
            """.utf8)
    }

    private func problems(_ body: String) -> [String] {
        do {
            _ = try ClientSettings(propertyList: list(body))
            return []
        } catch {
            return error.all.map { "\($0.key) \($0.message)" }
        }
    }

    @Test("every key is read, in both forms of a property list")
    func everything() throws {
        let xml = list(
            """
            <key>CFBundleName</key><string>Reader</string>
            <key>PositionPersistence</key><dict>
              <key>Enabled</key><true/><key>SmartRestoration</key><false/><key>MaxHistorySize</key><integer>25</integer>
              <key>AutoSaveInterval</key><real>2.5</real><key>CrossSessionSync</key><false/>
              <key>iCloudSyncEnabled</key><false/><key>FallbackStrategy</key><string>NewestPost</string>
            </dict>
            <key>Performance</key><dict>
              <key>LazyLoadingEnabled</key><false/><key>ScrollBufferSize</key><integer>40</integer>
              <key>RenderAheadCount</key><integer>9</integer><key>MemoryWarningThreshold</key><integer>8</integer>
            </dict>
            <key>Debug</key><true/>
            """)
        var expected = ClientSettings()
        expected.positions.smartRestoration = false
        expected.positions.maxHistorySize = 25
        expected.positions.autoSaveInterval = ElapsedTime(milliseconds: 2500)
        expected.positions.crossSessionSync = false
        expected.positions.cloudSync = false
        expected.positions.fallbackStrategy = .newestPost
        expected.positions.lazyLoading = false
        expected.positions.scrollBufferSize = 40
        expected.positions.renderAheadCount = 9
        expected.memoryWarningThreshold = 8 << 20
        expected.debug = true
        #expect(try ClientSettings(propertyList: xml) == expected)
        let parts = try PropertyListSerialization.propertyList(from: xml, format: nil)
        let binary = try PropertyListSerialization.data(fromPropertyList: parts, format: .binary, options: 0)
        let file = TemporaryDirectory.make("settings").appending(path: "Settings.plist")
        try binary.write(to: file)
        #expect(try ClientSettings(propertyListAt: file) == expected)
    }

    @Test("what is left out has its default")
    func defaults() throws {
        #expect(try ClientSettings(propertyList: list("")) == ClientSettings())
        let some = list("<key>Performance</key><dict><key>ScrollBufferSize</key><integer>30</integer></dict>")
        #expect(try ClientSettings(propertyList: some).positions.scrollBufferSize == 30)
    }

    @Test("each bad value is named, with its key and what is allowed")
    func badValues() {
        #expect(
            problems(
                """
                <key>PositionPersistence</key><dict>
                  <key>Enabled</key><integer>1</integer><key>MaxHistorySize</key><integer>0</integer>
                  <key>AutoSaveInterval</key><string>PT5S</string><key>FallbackStrategy</key><string>Top</string>
                  <key>MaxHistroySize</key><integer>5</integer>
                </dict>
                <key>Performance</key><dict>
                  <key>RenderAheadCount</key><integer>20</integer><key>MemoryWarningThreshold</key><real>0.5</real>
                </dict>
                <key>Debug</key><string>yes</string>
                """) == [
                    "PositionPersistence.Enabled must be true or false, not 1",
                    "PositionPersistence.MaxHistorySize must be a whole number from 1 to 1000, not 0",
                    "PositionPersistence.AutoSaveInterval must be a number of seconds from 0.1 to 3600.0, not \"PT5S\"",
                    "PositionPersistence.FallbackStrategy must be one of NearestContent, TopOfTimeline, "
                        + "LastKnownPosition, NewestPost, OldestPost, not \"Top\"",
                    "PositionPersistence.MaxHistroySize is no key here; allowed are Enabled, SmartRestoration, "
                        + "MaxHistorySize, AutoSaveInterval, CrossSessionSync, iCloudSyncEnabled, FallbackStrategy; "
                        + "did you mean MaxHistorySize?",
                    "Performance.MemoryWarningThreshold must be a whole number from 1 to 65536, not 0.5",
                    "Performance.RenderAheadCount must be less than ScrollBufferSize, which is 20, not 20",
                    "Debug must be true or false, not \"yes\"",
                ])
        #expect(
            problems("<key>Performance</key><array/>") == [
                "Performance must be a dictionary, not a value of another type"
            ])
    }

    @Test("what is no property list is named, too")
    func noList() {
        let error = #expect(throws: ConfigurationProblems.self) { try ClientSettings(propertyList: Data("{".utf8)) }
        #expect(error?.first.key == "settings")
        let missing = URL(filePath: "/nowhere/Settings.plist")
        let other = #expect(throws: ConfigurationProblems.self) { try ClientSettings(propertyListAt: missing) }
        #expect(other?.first.key == "/nowhere/Settings.plist")
    }

    @Test("a configuration that cannot be used is refused, with each of its problems")
    func configuration() throws {
        let base = try #require(URL(string: "ftp://ana:x@server.test/"))
        var configuration = ClientConfiguration(
            baseURL: base, token: "two words", readerId: "", directory: TemporaryDirectory.make("client"))
        configuration.deviceId = ""
        let error = #expect(throws: ConfigurationProblems.self) { try TidelineClient(configuration: configuration) }
        #expect(error?.all.map(\.key) == ["baseURL", "baseURL", "token", "readerId", "deviceId"])
    }

    @Test("no description of a configuration shows the token")
    func token() throws {
        let fixture = try ClientFixture(token: "secret-token")
        var dumped = ""
        dump(fixture.client.configuration, to: &dumped)
        dump(fixture.client, to: &dumped)
        for text in ["\(fixture.client.configuration)", String(reflecting: fixture.client.configuration), dumped] {
            #expect(!text.contains("secret-token"))
        }
    }

    @Test("the log has a line for each request while debugging, without token, and none otherwise")
    func log() async throws {
        let lines = Locked<[String]>([])
        var settings = ClientSettings()
        for isOn in [false, true] {
            settings.debug = isOn
            let fixture = try ClientFixture(
                FakeTransport { _ in .json(timelineJSON()) }, settings: settings,
                log: { line in lines.withLock { $0.append(line) } })
            _ = try await fixture.client.timeline(for: "wall")
            #expect(lines.withLock { $0 } == (isOn ? ["GET /v1/timelines/wall 200"] : []))
        }
    }
}
