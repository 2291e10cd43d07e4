import Settings
import Testing

@Suite("Settings")
struct SettingsTests {
    @Test("Without any source every setting has its default")
    func defaults() throws {
        let settings = try Keys.schema.resolve(SettingsSources())
        #expect(settings[Keys.interval] == .seconds(2))
        #expect(settings[Keys.threads] == 1)
        #expect(settings[Keys.ratio] == 0.5)
        #expect(settings[Keys.scheduled] == false)
        #expect(settings[Keys.guarantee] == .exactlyOnce)
        #expect(settings[Keys.bootstrap] == ["localhost:9092"])
        #expect(settings[Keys.zone] == nil)
        #expect(settings.source(of: "commit.interval") == .default)
        #expect(settings.source(of: "nothing") == nil)
        #expect(settings.nonDefaults.isEmpty)
    }

    @Test("A duration that may be off says so, and is nil then")
    func durationOrOff() throws {
        let key = SettingKey(
            "telemetry.future", .durationOrOff(.zero ... .seconds(60)), default: .seconds(5), "How far ahead.")
        let schema = SettingsSchema([key])
        func read(_ text: String) throws -> Duration? {
            try schema.resolve(SettingsSources(flags: [flag("telemetry.future", text)]))[key]
        }
        #expect(try schema.resolve(SettingsSources())[key] == .seconds(5))
        #expect(try read("off") == nil)
        #expect(try read("PT0S") == .zero)
        #expect(try schema.resolve(SettingsSources(file: file("telemetry:\n  future: off\n")))[key] == nil)
        for wrong in ["", "PT61S", "Off", "5"] {
            let problems = #expect(throws: SettingsProblems.self) { try read(wrong) }
            #expect(problems?.description.contains("an ISO 8601 duration from PT0S to PT1M") == true)
            #expect(problems?.description.contains("or off") == true)
        }
    }

    @Test("Flags beat the environment, which beats the file, which beats defaults")
    func strength() throws {
        var sources = SettingsSources(file: file("commit:\n  interval: PT3S\n"))
        #expect(try Keys.schema.resolve(sources)[Keys.interval] == .seconds(3))
        sources.environment = ["TIDELINE_COMMIT_INTERVAL": "PT4S"]
        #expect(try Keys.schema.resolve(sources)[Keys.interval] == .seconds(4))
        sources.flags = [flag("commit.interval", "PT5S")]
        #expect(try Keys.schema.resolve(sources)[Keys.interval] == .seconds(5))
        sources.flags.append(flag("commit.interval", "PT6S"))
        let settings = try Keys.schema.resolve(sources)
        #expect(settings[Keys.interval] == .seconds(6))
        #expect(settings.source(of: "commit.interval") == .flag("--set"))
    }

    @Test("Every source brings every type")
    func types() throws {
        let settings = try Keys.schema.resolve(
            SettingsSources(
                flags: [flag("stream.threads", "8"), flag("bootstrap.servers", "a:1, b:2")],
                environment: ["TIDELINE_RELOAD_SCHEDULED": "true", "TIDELINE_TIME_ZONE": "Europe/Berlin"],
                file: file(
                    """
                    sample.ratio: 0.25
                    processing: {guarantee: at-least-once}
                    store.password: 'open sesame'
                    """)))
        #expect(settings[Keys.threads] == 8)
        #expect(settings[Keys.bootstrap] == ["a:1", "b:2"])
        #expect(settings[Keys.scheduled])
        #expect(settings[Keys.zone] == "Europe/Berlin")
        #expect(settings[Keys.ratio] == 0.25)
        #expect(settings[Keys.guarantee] == .atLeastOnce)
        #expect(settings[Keys.password] == "open sesame")
    }

    @Test("Anything passes under a free prefix, and stronger sources win key by key")
    func freePrefix() throws {
        let settings = try Keys.schema.resolve(
            SettingsSources(
                flags: [flag("kafka.client.id", "from a flag")],
                environment: ["TIDELINE_KAFKA_SOCKET_TIMEOUT_MS": "500", "TIDELINE_KAFKA_CLIENT_ID": "hidden"],
                file: file(
                    """
                    kafka:
                      socket.timeout.ms: 100
                      debug: [cgrp, eos]
                      sasl: {password: hush}
                    """)))
        let values = settings.values(under: Keys.kafka)
        #expect(values.map(\.name) == ["client.id", "debug", "sasl.password", "socket.timeout.ms"])
        #expect(values.map(\.value) == [.text("from a flag"), .list(["cgrp", "eos"]), .text("hush"), .text("500")])
        #expect(values[1].value.description == "cgrp,eos")
        #expect(settings.source(of: "kafka.debug") == .file(path: "tideline.yaml", line: 3))
    }

    @Test("All problems are told at once, each with its source, key and what is allowed")
    func allProblems() {
        let sources = SettingsSources(
            flags: [flag("stream.threads", "0"), flag("stream.treads", "2")],
            environment: [
                "TIDELINE_RELOAD_SCHEDULED": "maybe", "TIDELINE_COMIT_INTERVAL": "PT1S", "HOME": "/",
                "TIDELINE_PORT": "tcp://10.0.0.1:80", "TIDELINE_TEST_BOOTSTRAP": "localhost:1",
                "TIDELINE_PORTAL": "x",
            ],
            file: file(
                """
                stream.threads: 2
                processing.guarantee: exactly-twice
                commit: {interval: 5s}
                sample: {ratio: [1]}
                stroe.password: hidden
                """))
        #expect(
            problems(sources) == [
                "--set: stream.threads is '0', allowed is a whole number from 1 to 64",
                "--set: stream.treads is not a setting",
                "TIDELINE_COMIT_INTERVAL is not a setting",
                "TIDELINE_PORTAL is not a setting",
                "TIDELINE_RELOAD_SCHEDULED: reload.scheduled is 'maybe', allowed is true or false",
                "tideline.yaml:2: processing.guarantee is 'exactly-twice', "
                    + "allowed is one of exactly-once, at-least-once",
                "tideline.yaml:3: commit.interval is '5s', "
                    + "allowed is an ISO 8601 duration from PT1S to PT1M, such as PT10S or PT1S",
                "tideline.yaml:4: sample.ratio is '1', allowed is a number from 0.0 to 1.0",
                "tideline.yaml:5: stroe.password is not a setting",
            ])
    }

    @Test("What a stronger source overrides is checked all the same")
    func overriddenProblem() {
        let sources = SettingsSources(flags: [flag("stream.threads", "2")], file: file("stream.threads: many"))
        #expect(
            problems(sources) == [
                "tideline.yaml:1: stream.threads is 'many', allowed is a whole number from 1 to 64"
            ])
    }

    @Test("Suggestions come from the keys, variables and values of that source")
    func suggestions() {
        let sources = SettingsSources(
            flags: [flag("x", "1")], environment: ["TIDELINE_X": "1"], file: file("processing.guarantee: x"))
        let lines = problems(sources) { word, candidates in
            "\(word) of \(candidates.count), last \(candidates.last ?? "")"
        }
        #expect(
            lines == [
                "--set: x is not a setting; did you mean 'x of 9, last store.password'?",
                "TIDELINE_X is not a setting; did you mean 'TIDELINE_X of 9, last TIDELINE_TRANSACTION_TIMEOUT'?",
                "tideline.yaml:1: processing.guarantee is 'x', allowed is one of exactly-once, at-least-once; "
                    + "did you mean 'x of 2, last at-least-once'?",
            ])
    }

    @Test("A rule names the strongest source that took part in breaking it")
    func rules() {
        #expect(
            problems(SettingsSources(file: file("commit.interval: PT10S"))) == [
                "tideline.yaml:1: commit.interval: commit.interval must be shorter than transaction.timeout"
                    + " (commit.interval is PT10S, transaction.timeout is PT10S)"
            ])
        let sources = SettingsSources(
            environment: ["TIDELINE_TRANSACTION_TIMEOUT": "PT3S"], file: file("commit.interval: PT10S"))
        #expect(problems(sources).first?.hasPrefix("TIDELINE_TRANSACTION_TIMEOUT: transaction.timeout: ") == true)
        #expect(problems(SettingsSources(file: file("commit.interval: PT9S"))).isEmpty)
    }

    @Test("No secret is shown, neither in the settings nor in a problem")
    func secrets() throws {
        let sources = SettingsSources(
            environment: [
                "TIDELINE_STORE_PASSWORD": "hunter22", "TIDELINE_KAFKA_SASL_OAUTHBEARER_CLIENT_SECRET": "hunter22",
            ],
            file: file("kafka.apns.keyToken: hunter22"))
        let settings = try Keys.schema.resolve(sources)
        #expect(!settings.description.contains("hunter22"))
        #expect(
            settings.nonDefaults == """
                store.password = ******** (TIDELINE_STORE_PASSWORD)
                kafka.apns.keyToken = ******** (tideline.yaml:1)
                kafka.sasl.oauthbearer.client.secret = ******** (TIDELINE_KAFKA_SASL_OAUTHBEARER_CLIENT_SECRET)
                """)
        #expect(
            settings.description.hasPrefix(
                "commit.interval = PT2S (default)\ntransaction.timeout = PT10S (default)"))
        let lines = problems(SettingsSources(flags: [flag("store.password", "abc")])) { word, _ in word }
        #expect(lines == ["--set: store.password is '********', allowed is six letters or more"])
    }

    @Test("The reference lists every setting with what is allowed, its default, variable and purpose")
    func reference() {
        let reference = Keys.schema.reference(columns: 60)
        #expect(
            reference.hasPrefix(
                """
                commit.interval
                    How often to commit.
                    Allowed is an ISO 8601 duration from PT1S to PT1M, such
                    as PT10S or PT1S.
                    Default: PT2S. Variable: TIDELINE_COMMIT_INTERVAL
                transaction.timeout
                """))
        #expect(reference.contains("Default: none. Variable: TIDELINE_TIME_ZONE"))
        #expect(reference.contains("Default: ********."))
        #expect(reference.contains("kafka.*\n    Any property of librdkafka."))
        #expect(reference.split(separator: "\n").allSatisfy { $0.count <= 60 })
        let table = Keys.schema.markdownTable
        #expect(table.contains(#"| `stream.threads` | a whole number from 1 to 64 | `1` | Threads \| tasks. |"#))
        #expect(table.split(separator: "\n").count == 2 + 9 + 1)
    }
}
