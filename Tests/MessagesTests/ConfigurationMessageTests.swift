import Messages
import Testing
import Timelines

@Suite struct ConfigurationMessageTests {
    @Test("every field of a configuration is read")
    func everyField() throws {
        let text = #"""
            {"configurationId": "c", "kind": "Board", "family": "systemLarge", "recipient": "phone",
             "timeZone": "Europe/Berlin", "signedIn": false, "vehicleId": 12, "calendarIds": ["b", 7, "b"],
             "parameters": {"city": "Austin", "n": 1.50}, "strategy": {"name": "status", "every": "PT5M"},
             "preEventLead": "PT1H", "mode": "lowFrequency", "maximumEntries": 3, "sinks": ["files", "sqlite"],
             "sensitivity": {"speed": 5, "distance": 100.5}, "push": {"token": "t"}, "somethingElse": [1]}
            """#
        let strategy = try TimelineStrategies.strategy(
            named: "status", options: Parameters([.init(key: "every", value: .string("PT5M"))]))
        var expected = WidgetConfiguration(configurationId: "c", kind: "Board", strategy: strategy)
        expected.family = .systemLarge
        expected.recipient = "phone"
        expected.timeZone = "Europe/Berlin"
        expected.isSignedIn = false
        expected.vehicleId = "12"
        expected.calendarIds = ["b", "7"]
        expected.parameters = Parameters([
            .init(key: "city", value: .string("Austin")), .init(key: "n", value: .number("1.50")),
        ])
        expected.preEventLead = CalendarDuration(time: .hours(1))
        expected.mode = .lowFrequency
        expected.maximumEntries = 3
        expected.sinks = ["files", "sqlite"]
        expected.sensitivity = .init(speed: 5, distance: 100.5)
        #expect(try configuration(text) == .usable(expected))
    }

    @Test("what is absent or null takes its default, and numbers are identifiers")
    func defaults() throws {
        let expected = WidgetConfiguration(
            configurationId: "7", kind: "k", strategy: try TimelineStrategies.strategy(named: "events"))
        #expect(try configuration(#"{"configurationId": 7, "kind": "k"}"#) == .usable(expected))
        let nulls = #"""
            {"configurationId": 7, "kind": "k", "family": null, "recipient": null, "timeZone": null,
             "signedIn": null, "vehicleId": null, "calendarIds": null, "parameters": null, "strategy": null,
             "preEventLead": null, "mode": null, "maximumEntries": null, "sinks": null, "sensitivity": null}
            """#
        #expect(try configuration(nulls) == .usable(expected))
    }

    @Test(
        "without a strategy it is status where a vehicle is named, else events",
        arguments: [
            (#""vehicleId": "bus""#, "status"), (#""vehicleId": "bus", "calendarIds": ["c"]"#, "status"),
            (#""vehicleId": "0""#, "status"), (#""vehicleId": "", "calendarIds": ["c"]"#, "events"),
            (#""calendarIds": ["c"]"#, "events"), (#""signedIn": true"#, "events"),
        ])
    func strategy(fields: String, name: String) throws {
        guard case .usable(let read) = try configuration(#"{"configurationId": "c", "kind": "k", \#(fields)}"#) else {
            Issue.record("unusable")
            return
        }
        #expect(type(of: read.strategy).name == name)
    }

    @Test(
        "what is wrong is named with its key and what is allowed",
        arguments: [
            (#""other": 1"#, "kind: is missing"), (#""kind": """#, "kind: must be text that is not empty"),
            (#""kind": 3"#, "kind: must be text"),
            (
                #""kind": "k", "family": "systmSmall""#,
                "family: must be one of systemSmall, systemMedium, systemLarge, systemExtraLarge, "
                    + "systemExtraLargePortrait, accessoryCircular, accessoryRectangular, accessoryInline, "
                    + "accessoryCorner; did you mean systemSmall?"
            ),
            (#""kind": "k", "recipient": """#, "recipient: must be text that is not empty, or a number"),
            (
                #""kind": "k", "timeZone": "Europe/Berln""#,
                "timeZone: must be a time zone of the IANA database, such as Europe/Berlin, not \"Europe/Berln\""
            ),
            (#""kind": "k", "signedIn": "yes""#, "signedIn: must be true or false"),
            (#""kind": "k", "vehicleId": []"#, "vehicleId: must be text or a number"),
            (#""kind": "k", "calendarIds": "c""#, "calendarIds: must be a list of texts or numbers"),
            (#""kind": "k", "calendarIds": ["a", {}]"#, "calendarIds[1]: must be text or a number"),
            (#""kind": "k", "parameters": []"#, "parameters: must be an object"),
            (#""kind": "k", "strategy": 5"#, "strategy: must be a strategy's name, or an object {name, …options}"),
            (#""kind": "k", "strategy": {"every": "PT1M"}"#, "strategy.name: is missing"),
            (
                #""kind": "k", "preEventLead": "P1M""#,
                "preEventLead: must be an ISO 8601 duration from PT0S to P31D, such as PT15M"
            ),
            (#""kind": "k", "mode": "slow""#, "mode: must be one of normal, lowFrequency"),
            (#""kind": "k", "maximumEntries": 501"#, "maximumEntries: must be a whole number from 1 to 500"),
            (#""kind": "k", "maximumEntries": 1.5"#, "maximumEntries: must be a whole number from 1 to 500"),
            (#""kind": "k", "sinks": ["a,b"]"#, "sinks: must be a list of names that are not empty and have no comma"),
            (#""kind": "k", "sensitivity": {"speed": -1}"#, "sensitivity.speed: must be a number of km/h, 0 or more"),
        ])
    func problems(fields: String, problem: String) throws {
        guard case .unusable(let read) = try configuration(#"{"configurationId": "c", \#(fields)}"#) else {
            Issue.record("usable: \(fields)")
            return
        }
        #expect("\(read.problem.key): \(read.problem.message)" == problem)
    }

    @Test("the problems of a strategy are the configuration's")
    func strategyProblems() throws {
        let text = #"{"configurationId": "c", "kind": "k", "strategy": {"name": "status", "evry": "PT1M"}}"#
        guard case .unusable(let read) = try configuration(text) else {
            Issue.record("usable")
            return
        }
        #expect(read.problem.key == "strategy.evry")
    }

    @Test("an unusable configuration keeps what its timeline needs")
    func unusable() throws {
        let text = #"""
            {"configurationId": "c", "kind": "k", "family": "systemSmall", "recipient": "r", "sinks": ["files"],
             "parameters": {"a": 1}, "mode": "slow"}
            """#
        let problem = ConfigurationProblem(key: "mode", "must be one of normal, lowFrequency")
        let expected = UnusableConfiguration(
            configurationId: "c", kind: "k", family: .systemSmall, recipient: "r", sinks: ["files"],
            parameters: Parameters([.init(key: "a", value: .number("1"))]), problems: .init(problem))
        #expect(try configuration(text) == .unusable(expected))
        let bare = #"{"configurationId": "c", "family": 1, "recipient": [], "sinks": 1, "parameters": 1}"#
        guard case .unusable(let read) = try configuration(bare) else {
            Issue.record("usable")
            return
        }
        #expect(read == UnusableConfiguration(configurationId: "c", problems: read.problems))
        let numbers = #"{"configurationId": "c", "kind": 3, "family": "systemLarge", "recipient": 7}"#
        guard case .unusable(let read) = try configuration(numbers) else {
            Issue.record("usable")
            return
        }
        #expect(read.kind == "3" && read.family == .systemLarge && read.recipient == "7")
    }

    @Test(
        "what does not say whose it is cannot be answered with a timeline",
        arguments: [
            ("", "The message is not valid JSON in UTF-8."), ("[]", "The message is not a JSON object."),
            (#"{"kind": "k"}"#, "configurationId: is missing"),
            (#"{"configurationId": ""}"#, "configurationId: must be text that is not empty, or a number"),
            (#"{"configurationId": {}}"#, "configurationId: must be text or a number"),
        ])
    func unreadable(text: String, problem: String) {
        #expect(reason { () throws(MessageProblem) in _ = try configuration(text) } == problem)
    }

    @Test("a line names its key, and whether it is a tombstone")
    func lines() throws {
        var parser = JSONParser()
        func line(_ text: String) throws(MessageProblem) -> ConfigurationLine {
            try withBytes(text) { bytes throws(MessageProblem) in try ConfigurationLine.decode(bytes, with: &parser) }
        }
        let usual = try line(#"{"configurationId": 5, "kind": "k"}"#)
        #expect(usual.configurationId == "5" && !usual.isTombstone)
        let tombstone = try line(#"{"configurationId": "c", "deleted": true}"#)
        #expect(tombstone.configurationId == "c" && tombstone.isTombstone)
    }
}
