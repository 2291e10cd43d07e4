import Messages
import Producers
import Testing
import Timelines

@Suite("JSON input")
struct JSONReplayTests {
    private func replay(_ text: String, _ content: JSONReplay.Content = .configurations) throws -> [SourceRecord] {
        let inputs = try Inputs()
        return try JSONReplay(file: try inputs.file("in.json", text), content: content).records()
    }

    private func problem(_ text: String, _ content: JSONReplay.Content = .configurations) -> InputProblem? {
        #expect(throws: InputProblem.self) { try replay(text, content) }
    }

    @Test(
        "may be one object, an array, or JSON lines, and is published byte for byte",
        arguments: [
            #"{"configurationId":"a","x":[1,{"y":null}]}"#, #" [ {"configurationId" : "a"} , {"configurationId":"b"}]"#,
            "{\"configurationId\":\"a\"}\n\n{\"configurationId\":\"b\"}\r\n", "{\n  \"configurationId\": \"a\"\n}\n",
            "\u{feff}{\"configurationId\":\"a\"}", "", "[]", "[\n]\n",
        ])
    func shapes(text: String) throws {
        let values = try replay(text).map(\.valueText)
        let ids = text.contains("\"b\"") ? ["a", "b"] : text.contains("\"a\"") ? ["a"] : []
        #expect(try replay(text).map(\.keyText) == ids)
        #expect(values.allSatisfy { text.contains($0!) && $0!.first == "{" && $0!.last == "}" })
    }

    @Test("an id may be a number, may have escapes, and the last one of a name counts")
    func identifiers() throws {
        let keys = try replay(
            #"{"configurationId":17}{"configurationId":"\u00e4\/b"}{"configurationId":"x","configurationId":"y"}"#
        ).map(\.keyText)
        #expect(keys == ["17", "ä/b", "y"])
    }

    @Test("a configuration that is deleted is a tombstone; only the literal true deletes")
    func configurationTombstones() throws {
        let records = try replay(
            #"{"configurationId":"a","deleted":true}{"configurationId":"b","deleted":"true"}"#)
        #expect(records.map(\.keyText) == ["a", "b"])
        #expect(records[0].value == nil && records[1].value != nil)
    }

    @Test("events have keys of calendar, uid and recurrence id, percent-encoded, tombstones too")
    func events() throws {
        let records = try replay(
            #"""
            {"calendarId":"c/1","uid":"100%","title":"t"}
            {"calendarId":"c","uid":"u","recurrenceId":"2026-11-20T07:00:00+01:00"}
            {"calendarId":"c","uid":"u","recurrenceId":"2026-11-20","deleted":true}
            {"calendarId":"c","uid":"u","recurrenceId":1790000000000}
            """#, .calendarEvents)
        #expect(
            records.map(\.keyText) == [
                "c%2F1/100%25", "c/u/2026-11-20T06:00:00Z", "c/u/2026-11-20", "c/u/2026-09-21T14:13:20Z",
            ])
        #expect(records.map { $0.value == nil } == [false, false, true, false])
    }

    @Test("telemetry is due when it was observed, and a deleted member means nothing there")
    func telemetry() throws {
        let records = try replay(
            #"""
            {"vehicleId":"v","observedAt":"2026-11-20T06:00:00+00:00","deleted":true}
            {"vehicleId":"v","observedAt":1790000000000}
            {"vehicleId":"v","observedAt":"soon"}
            """#, .telemetry)
        let first = Instant(rfc3339: "2026-11-20T06:00:00Z")
        #expect(records.map(\.due) == [first, Instant(milliseconds: 1_790_000_000_000), nil])
        #expect(records.allSatisfy { $0.value != nil })
    }

    @Test(
        "what is no JSON names the line",
        arguments: [
            ("{\"configurationId\":\"a\"}\nnonsense", 2), ("{\"configurationId\":\"a\"}\n{\"configurationId\":", 2),
            ("[{\"configurationId\":\"a\"}\n{\"configurationId\":\"b\"}]", 2), ("[{\"configurationId\":\"a\"},\n]", 2),
            ("[{\"configurationId\":\"a\"}\n", 1), ("\n\n{\"configurationId\":\"a\", \"x\":\n01}", 4), ("17", 1),
            ("{\"a\":tru}", 1), ("{\"a\":\"\u{1}\"}", 1), ("{\"a\":\"\\x\"}", 1), ("{\"a\" 1}", 1), ("{\"a\":1,}", 1),
            ("{\"a\":-}", 1), ("{\"a\":1.}", 1), ("{,}", 1), (String(repeating: "{\"a\":", count: 200), 1),
        ])
    func syntax(text: String, line: Int) throws {
        #expect(problem(text)?.line == line)
    }

    @Test("what is no UTF-8 names the line")
    func encoding() throws {
        let inputs = try Inputs()
        let file = try inputs.file("in.json", Array("\n{\"configurationId\":\"a".utf8) + [0xff] + Array("\"}".utf8))
        let problem = #expect(throws: InputProblem.self) {
            try JSONReplay(file: file, content: .configurations).records()
        }
        #expect(problem?.description == "\(file):2:1: not UTF-8 text")
    }

    @Test(
        "an object without its id names the line and the member",
        arguments: [
            (JSONReplay.Content.configurations, #"{"configurationId":""}"#, "configurationId"),
            (.configurations, #"{"x":{"configurationId":"a"}}"#, "configurationId"),
            (.configurations, #"{"configurationId":["a"]}"#, "configurationId"),
            (.telemetry, #"{"observedAt":"2026-11-20T06:00:00Z"}"#, "vehicleId"),
            (.calendarEvents, #"{"calendarId":"c"}"#, "uid"), (.calendarEvents, #"{"uid":"u"}"#, "calendarId"),
            (.calendarEvents, #"{"calendarId":"c","uid":"u","recurrenceId":"monday"}"#, "recurrenceId"),
        ])
    func missingIds(content: JSONReplay.Content, text: String, names: String) throws {
        let found = problem("\n" + text, content)
        #expect(found?.line == 2)
        #expect(found?.reason.contains(names) == true)
    }

    @Test("objects before a problem are there, and a large one is read in pieces")
    func largeObject() throws {
        let inputs = try Inputs()
        let large = #"{"configurationId":"a","x":""# + String(repeating: "é", count: 300_000) + "\"}"
        let source = try JSONReplay(
            file: try inputs.file("in.json", large + "\n" + large + "\n!"), content: .configurations)
        #expect(try source.records(2).map(\.valueText) == [large, large])
        let problem = #expect(throws: InputProblem.self) { try source.next() }
        #expect(problem?.line == 3)
    }

    @Test("a pipe that is silent is left when it is asked to stop")
    func silentPipe() throws {
        let inputs = try Inputs()
        let pipe = try inputs.pipe("in.json")
        try pipe.write(#"{"configurationId":"a"}{"configuration"#)
        var asked = 0
        let source = try JSONReplay(file: pipe.path, content: .configurations) {
            asked += 1
            return asked > 3
        }
        let summary = try Publisher(producer: KeptProducer(), clock: SteppingClock(), shouldStop: { asked > 3 })
            .publish(source, to: "t")
        #expect(summary.records == 1 && summary.wasStopped)
    }
}
