import Messages
import Testing
import Timelines

@Suite("Records are judged before they are written")
struct RecordJudgeTests {
    @Test(
        "what the pipeline would refuse is a problem that names its field",
        arguments: [
            (
                InputContent.telemetry, #"{"vehicleId": "v", "observedAt": "2026-11-20T06:00:00Z", "speed": -1}"#,
                ["speed"]
            ),
            (.telemetry, #"{"vehicleId": "v", "observedAt": "2026-11-20T06:00:00Z"}"#, []),
            (
                .configurations, #"{"configurationId": "c", "kind": "K", "family": "huge", "timeZone": "Mars"}"#,
                ["family", "timeZone"]
            ),
            (
                .configurations, #"{"configurationId": "c", "kind": "K", "push": {"token": "xyz", "topic": "t"}}"#,
                ["push.token"]
            ),
            (.configurations, #"{"configurationId": "c", "deleted": true}"#, []),
            (.configurations, #"{"configurationId": "c", "deleted": 1}"#, ["deleted"]),
            (.calendarEvents, #"{"calendarId": "c", "uid": "u", "title": "T"}"#, ["start"]),
            (
                .positions,
                #"{"readerId": "r", "configurationId": "c", "entryId": "e", "observedAt": 5, "fraction": 2}"#,
                ["fraction"]
            ),
            (.positions, #"{"readerId": "r", "configurationId": "c", "deleted": true}"#, []),
        ] as [(InputContent, String, [String])])
    func problems(content: InputContent, text: String, fields: [String]) throws {
        var judge = RecordJudge(content)
        let found = Array(text.utf8).withUnsafeBytes { judge.problems(of: $0, key: nil) }
        #expect(found.map(\.field) == fields)
    }

    @Test("events of another calendar than the record's key are a problem, as they would be a dead letter")
    func calendarsOfCollections() throws {
        func fields(_ calendarId: String) -> [String?] {
            let event =
                #"{"@type": "Event", "uid": "u", "calendarId": "\#(calendarId)", "start": "2026-11-20T09:00:00"}"#
            let group = #"{"@type": "Group", "calendarId": "c", "uid": "g", "entries": [\#(event)]}"#
            var judge = RecordJudge(.calendarEvents)
            return Array(group.utf8).withUnsafeBytes { judge.problems(of: $0, key: Array("c/g".utf8)) }.map(\.field)
        }
        #expect(fields("c") == [])
        #expect(fields("other") == ["key"])
    }

    @Test(
        "keys name their parts percent-encoded",
        arguments: [
            (InputContent.telemetry, #"{"vehicleId": 7}"#, "7"),
            (
                .calendarEvents, #"{"calendarId": "a/b", "uid": "50%", "recurrenceId": "2026-11-20"}"#,
                "a%2Fb/50%25/2026-11-20"
            ),
            (.configurations, #"{"configurationId": "c/1"}"#, "c/1"),
            (.positions, #"{"readerId": "r/1", "configurationId": "c", "deviceId": "d"}"#, "r%2F1/c/d"),
            (.positions, #"{"readerId": "r", "configurationId": "c", "deviceId": ""}"#, "r/c"),
        ] as [(InputContent, String, String)])
    func keys(content: InputContent, text: String, key: String) throws {
        var parser = JSONParser()
        let object = try Array(text.utf8).withUnsafeBytes { try parser.object($0) }
        #expect(try content.key(of: object) == key)
    }
}
