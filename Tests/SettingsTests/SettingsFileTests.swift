import Settings
import Testing

@Suite("Settings file")
struct SettingsFileTests {
    @Test(
        "Nested maps and dotted keys say the same, empty files and empty sections nothing",
        arguments: [
            "", "\n# only a comment\n", "---\n...\n", "commit:\nkafka:\n", "stream: {threads: ~}",
            "commit.interval: null",
        ])
    func nothing(text: String) throws {
        let settings = try Keys.schema.resolve(SettingsSources(file: file(text)))
        #expect(settings.nonDefaults.isEmpty)
    }

    @Test("A quoted null is a text, and so is an empty quoted text")
    func quoted() throws {
        let settings = try Keys.schema.resolve(SettingsSources(file: file("time-zone: 'null'\nkafka.debug: ''")))
        #expect(settings[Keys.zone] == "null")
        #expect(settings.values(under: Keys.kafka).map(\.value) == [.text("")])
    }

    @Test(
        "Lists are written in either style or as one text",
        arguments: [
            "bootstrap.servers: [a, b]", "bootstrap:\n  servers:\n    - a\n    - b\n", "bootstrap.servers: a,b",
        ])
    func lists(text: String) throws {
        #expect(try Keys.schema.resolve(SettingsSources(file: file(text)))[Keys.bootstrap] == ["a", "b"])
    }

    @Test(
        "What is not settings is told with its line",
        arguments: [
            (
                "a: [1\nb: 2",
                "tideline.yaml:2: not YAML: did not find expected ',' or ']' while parsing a flow sequence"
            ),
            ("# a\n- 1", "tideline.yaml:2: a settings file is a map of keys and values"),
            ("just text", "tideline.yaml:1: a settings file is a map of keys and values"),
            ("kafka.a: 1\n---\nkafka.b: 2", "tideline.yaml:3: a settings file is one document; this begins another"),
            ("kafka.a: 1\nkafka.a: 2", "tideline.yaml:2: kafka.a: stands at line 1 already"),
            ("kafka:\n  a.b: 1\n  a: {b: 2}", "tideline.yaml:3: kafka.a.b: stands at line 2 already"),
            ("kafka: {a: 1}\nkafka: {b: 1}", "tideline.yaml:2: kafka: stands at line 1 already"),
            (
                "kafka.a: &x 1\nkafka.b: *x",
                "tideline.yaml:2: kafka.b: anchors and aliases are not supported; write the value out"
            ),
            ("kafka:\n  debug:\n    - {a: 1}", "tideline.yaml:3: kafka.debug: a list holds plain values only"),
            ("kafka:\n  ? [a]\n  : 1", "tideline.yaml:2: kafka: a key is a text"),
            ("kafka.a: 1\nkafka.b: \"\u{1}\"", "tideline.yaml:2: not YAML: control characters are not allowed"),
            ("comit:\n", "tideline.yaml:1: comit is not a setting"),
            (String(repeating: "[", count: 200), "tideline.yaml:1: nested deeper than 64 levels"),
        ])
    func unreadable(text: String, problem: String) {
        #expect(problems(SettingsSources(file: file(text))) == [problem])
    }

    @Test("A mistake in the text does not hide the settings that were wrong before it")
    func mistakesAddUp() {
        #expect(problems(SettingsSources(file: file("kafka.a: 1\nkafka.a: 2\nstream.threads: 65"))).count == 2)
    }
}

@Suite("Durations")
struct DurationTests {
    @Test(
        "An ISO 8601 duration of weeks, days, hours, minutes and seconds is read",
        arguments: [
            ("PT0S", 0, "PT0S"), ("PT30M", 1800, "PT30M"), ("P1D", 86_400, "P1D"), ("P2W", 1_209_600, "P14D"),
            ("P1W1DT1H1M1S", 694_861, "P8DT1H1M1S"), ("PT90S", 90, "PT1M30S"), ("PT36H", 129_600, "P1DT12H"),
            ("P0D", 0, "PT0S"),
        ])
    func read(text: String, seconds: Int, written: String) {
        #expect(Duration(iso8601: text) == .seconds(seconds))
        #expect(Duration.seconds(seconds).iso8601 == written)
    }

    @Test(
        "Anything else is not",
        arguments: [
            "", "P", "PT", "P1DT", "30M", "P1M", "P1Y", "-PT1S", "+PT1S", "PT-1S", "PT1.5S", "PT1,5S", "pt1s", "PT1S1M",
            "PT1S1S", "P1D1W", "PT1D", "P1S", "PTS", "PT1", "PT1S ", " PT1S", "PTT1S", "PT1ST1S", "PT9999999999999S",
            "P99999999999W",
            "PT１S",
        ])
    func refused(text: String) {
        #expect(Duration(iso8601: text) == nil)
    }
}
