import Messages
import TestSupport
import Testing
import Timelines

/// What is read of configurations that share with others is what would be read of them alone.
@Suite struct ConfigurationDecoderTests {
    /// Members, each absent as often as not, good or wrong.
    private static let members: [[String]] = [
        [#""kind": "Board""#, #""kind": "Board""#, #""kind": "Other""#, #""kind": """#, #""kind": 3"#],
        [#""recipient": "phone""#, #""recipient": 5"#, #""recipient": """#, #""recipient": null"#],
        [#""vehicleId": "car""#, #""vehicleId": 12"#, #""vehicleId": "0""#, #""vehicleId": {}"#],
        [#""calendarIds": ["a", "b", "a"]"#, #""calendarIds": []"#, #""calendarIds": [true]"#],
        [#""signedIn": false"#, #""signedIn": null"#, #""signedIn": "no""#],
        [#""strategy": "status""#, #""strategy": {"name": "status", "every": "PT5M"}"#, #""strategy": "none""#],
        [#""parameters": {"n": 1.50}"#, #""parameters": {"n": 1.5}"#, #""parameters": {"m": 1.5}"#],
        [#""timeZone": "Europe/Berlin""#, #""timeZone": "Europe/Nowhere""#],
        [#""maximumEntries": 3"#, #""maximumEntries": 0"#],
        [#""sinks": ["files"]"#, #""sinks": ["files", "files"]"#, #""else": [[], {}, "x"]"#, #""else": [[{}], "x"]"#],
    ]

    @Test("thousands of configurations, good and wrong, are read as each would be alone", arguments: [1, 2, 3])
    func asAlone(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var other = WidgetKind(kind: "Other")
        other.supportedFamilies = [.systemLarge]
        let kinds = WidgetKinds([other])
        var decoder = ConfigurationDecoder(kinds: kinds)
        var parser = JSONParser()
        var usable = 0
        for number in 0..<4000 {
            var parts = [#""configurationId": "c\#(number)""#]
            for choices in Self.members {
                if let part = random.maybe({ choices.randomElement(using: &$0)! }) { parts.append(part) }
            }
            if Int.random(in: 0..<4, using: &random) == 0 { parts.shuffle(using: &random) }
            let text = "{\(parts.joined(separator: ", "))}"
            let alone = try withBytes(text) { bytes throws(MessageProblem) in
                try ConfigurationMessage.decode(bytes, kinds: kinds, with: &parser)
            }
            let message = try withBytes(text) { bytes throws(MessageProblem) in try decoder.decode(bytes) }
            #expect(message == alone, "\(text)")
            if case .usable = message { usable += 1 }
        }
        #expect(usable > 200)
    }

    @Test("odd records are read as they would be alone, whatever was read before")
    func oddRecords() {
        var decoder = ConfigurationDecoder()
        let records = [
            #"{"configurationId": "a", "kind": "k"}"#,
            #"{"kind": "k", "configurationId": "b"}"#,
            #"{"configurationId": "a", "kind": "k", "configurationId": "c"}"#,
            #"{"configurationId": "a", "kind": "k", "kind": "l"}"#,
            #"{"\u0063onfigurationId": "d", "kind": "k"}"#,
            #"{"kind": "k", "parameters": {"configurationId": "e"}}"#,
            #"{"configurationId": "f", "kind": "k", "parameters": {"configurationId": "e"}}"#,
            #"{"configurationId": null, "kind": "k"}"#, #"{"configurationId": "", "kind": "k"}"#,
            #"{"configurationId": 7, "kind": "k", "recipient": 8, "vehicleId": 9}"#,
            "\u{0}\u{0}\u{0}\u{0}\u{5}" + #"{"configurationId": "g", "kind": "k"}"#,
            "{}", "[]", "[{\"configurationId\": \"a\"}]", "7", "", "{",
            #"{"configurationId": "h", "kind": "k", "parameters": {"t": "\#(String(repeating: "x", count: 5000))"}}"#,
        ]
        for text in records + records {
            let alone = Result { () throws(MessageProblem) in try configuration(text) }
            let message = Result { () throws(MessageProblem) in
                try withBytes(text) { bytes throws(MessageProblem) in try decoder.decode(bytes) }
            }
            #expect(message == alone, "\(text.prefix(80))")
        }
    }

    @Test("a registration for pushes is nothing of the widget: with another one all is shared, and nothing is lost")
    func push() throws {
        var decoder = ConfigurationDecoder()
        for token in ["00", "01"] {
            let text = #"{"configurationId": "c", "push": {"token": "\#(token)", "kind": "x"}, "kind": "k"}"#
            let message = try withBytes(text) { bytes throws(MessageProblem) in try decoder.decode(bytes) }
            #expect(message == (try configuration(#"{"configurationId": "c", "kind": "k"}"#)))
        }
    }

    @Test("what Unicode takes for the same is not shared")
    func spellings() throws {
        var decoder = ConfigurationDecoder()
        for city in ["café", "cafe\u{301}", "café"] {
            let text = #"{"configurationId": "c", "kind": "\#(city)", "parameters": {"city": "\#(city)"}}"#
            let message = try withBytes(text) { bytes throws(MessageProblem) in try decoder.decode(bytes) }
            guard case .usable(let read) = message, case .string(let parameter) = read.parameters["city"] else {
                Issue.record("\(text) is not usable")
                continue
            }
            #expect(Array(read.kind.utf8) == Array(city.utf8))
            #expect(Array(parameter.utf8) == Array(city.utf8))
        }
    }

    @Test("a strategy that is not named follows from each configuration's own vehicle and calendars")
    func impliedStrategy() throws {
        var decoder = ConfigurationDecoder()
        let own = [#""vehicleId": "car""#, #""calendarIds": ["work"]"#, #""vehicleId": "0", "calendarIds": ["work"]"#]
        for members in own + own {
            let text = #"{"configurationId": "c", "kind": "k", \#(members)}"#
            #expect(
                try withBytes(text) { bytes throws(MessageProblem) in try decoder.decode(bytes) }
                    == configuration(text), "\(text)")
        }
    }

    @Test("a configuration that is changed leaves those alone that it shares with")
    func copies() throws {
        var decoder = ConfigurationDecoder()
        func read(_ id: String) throws -> WidgetConfiguration? {
            let text = #"{"configurationId": "\#(id)", "kind": "k", "vehicleId": "car"}"#
            let message = try withBytes(text) { bytes throws(MessageProblem) in try decoder.decode(bytes) }
            if case .usable(let configuration) = message { return configuration }
            return nil
        }
        let first = try #require(try read("a"))
        var second = try #require(try read("b"))
        second.kind = "other"
        second.maximumEntries = 2
        #expect(first.kind == "k" && first.maximumEntries == nil)
        #expect(second.kind == "other" && second.maximumEntries == 2 && second.configurationId == "b")
        #expect(try read("a") == first)
    }
}
