import Foundation
import Messages
import Producers
import RecordLog
import Testing
import Timelines

@Suite("Input is judged before it is sent")
struct JudgedInputTests {
    private static let kinds: [WidgetKind] = {
        var kind = WidgetKind(kind: "Small")
        kind.supportedFamilies = [.systemSmall]
        return [kind]
    }()

    /// All problems of a text, as `line:column: reason`.
    func problems(_ text: String, _ content: JSONReplay.Content) throws -> [String] {
        try check(text, content).problems.lines.map { $0.replacing(/^.*in.json:/, with: "") }
    }

    func check(_ text: String, _ content: JSONReplay.Content) throws -> JSONCheck {
        let inputs = try Inputs()
        let judge = InputJudge(content, kinds: WidgetKinds(Self.kinds))
        return try JSONCheck(InputFile(try inputs.file("in.json", text)), content: content, judge: judge)
    }

    @Test(
        "what is no JSON is named with line and column, what is allowed there and what stands there",
        arguments: [
            (
                #"{"a": 1,}"#,
                #"1:9: expected another member's name in double quotes, found "}": no comma stands before it"#
            ),
            (#"{"a" 1}"#, #"1:6: expected ":" after a member's name, found "1""#),
            (#"{"a": 1 "b": 2}"#, ##"1:9: expected "," or "}" after a member's value, found """"##),
            (#"{'a': 1}"#, #"1:2: expected a name in double quotes or "}", found "'""#),
            (
                #"{"é": True}"#,
                #"1:7: expected a text in double quotes, a number, true, false, null, "{" or "[", found "True""#
            ),
            (#"{"a": 01}"#, #"1:7: expected a number without leading zeros, found "01""#),
            (#"{"a": 1.}"#, #"1:7: expected a number with digits where they belong, found "1.""#),
            (#"{"a": [1,]}"#, #"1:10: expected another element, found "]": no comma stands before it"#),
            (#"{"a": [1 2]}"#, #"1:10: expected "," or "]" after an element, found "2""#),
            (
                "{\"a\": \"x\n\"}",
                "1:9: expected the rest of a text in double quotes, found the end of the line: "
                    + "in a text it is written as an escape"
            ),
            (#"{"a": "\x"}"#, ##"1:9: expected one of " \ / b f n r t u after the backslash of a text, found "x""##),
            (#"{"a": "\u00g0"}"#, ##"1:12: expected four hexadecimal digits after \u, found "g0""##),
            ("nonsense", #"1:1: expected a JSON object or an array of them, found "nonsense""#),
            (
                #"[{"configurationId":"a","kind":"K"},]"#,
                #"1:37: expected another object, found "]": no comma stands before it"#
            ),
            (
                #"[{"configurationId":"a","kind":"K"}"#,
                #"1: the array that begins here is not closed: "]" is missing"#
            ),
        ])
    func syntax(text: String, problem: String) throws {
        #expect(try problems(text, .configurations) == [problem])
    }

    @Test("a line that holds no objects is one fault, and what follows it is read")
    func oneFaultALine() throws {
        let good = #"{"configurationId":"a","kind":"K"}"#
        for line in ["[1,2]", "[[1],[2]]", "1 2 3", "[1,\(good)]", "[\(good), 5, 6]", "]"] {
            let check = try check("\(good)\n\(line)\n\(good)\n", .configurations)
            #expect(check.faulty == 1 && check.problems.count == 1, "\(line): \(check.problems.lines)")
            #expect(check.records >= 2)
        }
        // What follows a fault is looked at, too, whatever it is.
        let faults = try check("\(good)\n{\"a\":1,}\n[1,2]\nnonsense\n\(good)\n3\n", .configurations)
        #expect(faults.problems.first.map(\.line) == [2, 3, 4, 6] && faults.records == 2)
        let pretty = try check("{\n\"a\": 1,\n\"b\": tru,\n\"c\": 2\n}\n\(good)", .configurations)
        #expect(pretty.problems.first.map(\.line) == [3] && pretty.records == 1, "\(pretty.problems.lines)")
        // An array of several lines goes on behind a fault.
        let array = try check("[\n\(good),\nnonsense,\n\(good)\n]\n\(good)", .configurations)
        #expect(array.problems.count == 1 && array.records == 3, "\(array.problems.lines)")
    }

    @Test(
        "a configuration that would show an error is refused with all its faults",
        arguments: [
            (#"{"configurationId":"a","kind":"K","strategy":"statsu"}"#, ["1:35: strategy: must be one of"]),
            (
                #"{"configurationId":"a","kind":"K","timeZone":"Europe/Berlim","family":"systemHuge"}"#,
                ["1:35: timeZone: ", "1:62: family: must be one of"]
            ),
            (#"{"configurationId":"a","kind":"K","preEventLead":"30 minutes"}"#, ["1:35: preEventLead: must be"]),
            (#"{"configurationId":"a","kind":"K","signedIn":"no"}"#, ["1:35: signedIn: must be true or false"]),
            (#"{"configurationId":"a","deleted":"yes"}"#, ["1:24: deleted: must be true or false"]),
            (#"{"configurationId":"a"}"#, ["1:1: kind: is missing"]),
            (#"{"kind":"K"}"#, ["1:1: configurationId: is missing"]),
            (
                #"{"configurationId":"a","kind":"K","strategy":{"name":"status","every":"2M"}}"#,
                ["1:63: strategy.every: must be"]
            ),
            (#"{"configurationId":"a","kind":"Small","family":"systemLarge"}"#, ["1:39: family: "]),
            (
                #"{"configurationId":"a","kind":"K","push":{"token":"xyz","topic":"a.b"}}"#,
                ["1:43: push.token: must be the token"]
            ),
        ])
    func configurations(text: String, begins: [String]) throws {
        let found = try problems(text, .configurations)
        #expect(found.count == begins.count, "\(found)")
        for (problem, begin) in zip(found, begins) { #expect(problem.hasPrefix(begin), "\(problem)") }
    }

    @Test("a field's column counts from its own line, in characters")
    func places() throws {
        let text = "{\"configurationId\":\"ä\", \"kind\":\"é\", \"mode\": 1,\n  \"timeZone\": \"Mars\"}"
        let found = try problems("{\"configurationId\":\"b\",\"deleted\":true} " + text, .configurations)
        #expect(found.map { $0.prefix { $0 != " " } } == ["1:76:", "2:3:"], "\(found)")
    }

    @Test(
        "an event that no calendar can hold is refused with all its faults",
        arguments: [
            (#""start":"2026-11-20T09:00:00Z","end":"2026-11-20T08:00:00Z""#, ["end: "]),
            (#""start":"2026-11-20T09:00:00","timeZone":"Mars/Base""#, ["timeZone: "]),
            (#""start":"2026-11-20T09:00:00Z","recurrence":["RRULE:FREQ=SOMETIMES"]"#, ["recurrence: "]),
            (#""start":"2026-02-30","title":5,"status":"maybe""#, ["start: ", "title: ", "status: "]),
            (
                #""start":"2026-11-20T09:00:00","timeZone":"Mars/Base","end":"2026-11-20T08:00:00","recurrence":["X"]"#,
                ["timeZone: ", "end: ", "recurrence: "]
            ),
            (#""start":"2026-11-20T09:00:00Z","recurrenceId":"monday""#, ["recurrenceId: "]),
            (#""start":"2026-11-20T09:00:00Z","deleted":"yes""#, ["deleted: "]),
            (#""start":"2026-11-20T09:00:00Z","preEventLead":"PT1H30""#, ["preEventLead: "]),
        ])
    func events(fields: String, begins: [String]) throws {
        let title = fields.contains("title") ? "" : #""title":"T","#
        let found = try problems(#"{"calendarId":"c","uid":"u",\#(title)\#(fields)}"#, .calendarEvents)
        #expect(found.count == begins.count, "\(found)")
        for (problem, begin) in zip(found, begins) { #expect(problem.contains(begin), "\(problem)") }
        #expect(
            try problems(#"{"calendarId":"","uid":"u","start":"2026-11-20","title":"t"}"#, .calendarEvents).count == 1)
        #expect(try problems(#"{"calendarId":"c","uid":"u","start":"2026-11-20","title":"t"}"#, .calendarEvents) == [])
        #expect(try problems(#"{"calendarId":"c","uid":"u","deleted":true}"#, .calendarEvents) == [])
    }

    @Test("telemetry is judged, too")
    func telemetry() throws {
        let found = try problems(
            #"""
            {"vehicleId":"v","observedAt":1}
            {"vehicleId":"v","observedAt":"soon"}
            {"vehicleId":"v","observedAt":1,"speed":-1}
            {"vehicleId":"v","observedAt":1,"series":{"fuel":[{"at":1}]}}
            """#, .telemetry)
        #expect(found.map { String($0.prefix { $0 != " " }) } == ["2:18:", "3:33:", "4:43:"], "\(found)")
    }

    @Test(
        "behind a fault within an array its other elements are judged, and what cannot be read is named",
        arguments: [
            ("[\n  G,\n  {\"a\":1,},\n  G,\n  {\"b\":tru},\n  G\n]\nG", ["3:", "5:"], 4),
            ("[{\"a\":1,},G,{\"b\":\"],}\",},G]", ["1:9:", "1:"], 2),
            ("[\n  {\"a\": 1,\n  G,\n  G\n]", ["2:3:"], 2), ("[G\nG,\nG]", ["2:1:"], 3),
            ("[\n  {\"a\":1,}\n  G\n]", ["2:"], 1), ("  {\"a\":1,}\n  G\n", ["1:"], 1),
            ("[{\"a\":[1,},G]", ["1:10:"], 1), ("[{\"a\":1,{\"b\":2},G]\nG", ["1:", "1: the rest of line 1"], 1),
            ("[{\"a\":{\"b\":1,},\nG,\nG", ["1:", "1: the array"], 0),
            ("{\"a\":1,\n \"b\": {\n  \"c\": {}\n", ["1:"], 0),
        ])
    func arrays(text: String, places: [String], records: Int) throws {
        let good = #"{"configurationId":"a","kind":"K"}"#
        let check = try check(text.replacing("G", with: good), .configurations)
        #expect(check.records == records, "\(check.problems.lines)")
        #expect(check.problems.count == places.count, "\(check.problems.lines)")
        for (problem, place) in zip(check.problems.lines, places) {
            #expect(problem.contains("in.json:\(place)"), "\(problem)")
        }
    }
}
