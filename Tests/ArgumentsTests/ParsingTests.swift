import Arguments
import Testing

@Suite("Parsing")
struct ParsingTests {
    @Test("What is not written has its default")
    func defaults() throws {
        let demo = try #require(try parse("demo", as: Demo.self))
        #expect(demo.seconds == nil)
        #expect(!demo.verbose)
        #expect(demo.colors)
        #expect(demo.ratio == 0.5)
        let telemetry = try #require(try parse("produce telemetry", as: Produce.Telemetry.self))
        #expect(telemetry.csv.isEmpty)
        #expect(telemetry.format == .capmetrics)
        #expect(telemetry.broker.bootstrap == "localhost:9092")
    }

    @Test(
        "A value follows as the next word or after an equals sign, for long names and short ones",
        arguments: [
            "demo --seconds 20", "demo --seconds=20", "demo -s 20", "demo -s20", "demo -s=20", "demo -vs20",
            "demo -v -s 20", "demo --seconds 7 --seconds 20",
        ])
    func values(line: String) throws {
        #expect(try parse(line, as: Demo.self)?.seconds == 20)
    }

    @Test("Flags stand alone or together, and an inversion turns them off")
    func flags() throws {
        let together = try #require(try parse("demo -vq", as: Demo.self))
        #expect(together.verbose && together.quiet)
        #expect(try parse("demo --no-colors", as: Demo.self)?.colors == false)
        #expect(try parse("demo --no-colors --colors", as: Demo.self)?.colors == true)
    }

    @Test("Negative numbers and a lone hyphen are values")
    func looksLikeAnOption() throws {
        #expect(try parse("demo --seconds -5 --ratio -0.25", as: Demo.self)?.ratio == -0.25)
        #expect(try parse("produce telemetry --csv -", as: Produce.Telemetry.self)?.csv == ["-"])
        #expect(try parse("explain -5 capmetrics -6", as: Explain.self)?.second == -6)
    }

    @Test("A repeated option takes words up to the next option, and may be written again")
    func repeated() throws {
        let line = "produce telemetry --csv a.csv b.csv --format ndsbr --csv=c.csv --set a=b=c --set d= --set=e=f"
        let telemetry = try #require(try parse(line, as: Produce.Telemetry.self))
        #expect(telemetry.csv == ["a.csv", "b.csv", "c.csv"])
        #expect(telemetry.format == .ndsbr)
        #expect(
            telemetry.broker.settings == [
                KeyValueArgument(key: "a", value: "b=c"), KeyValueArgument(key: "d", value: ""),
                KeyValueArgument(key: "e", value: "f"),
            ])
    }

    @Test("Arguments are known by their place, and two hyphens end the options")
    func arguments() throws {
        let explain = try #require(try parse("explain home capmetrics 7", as: Explain.self))
        #expect(explain.configurationID == "home")
        #expect(explain.format == .capmetrics)
        #expect(explain.second == 7)
        #expect(try parse("explain home", as: Explain.self)?.format == .ndsbr)
        #expect(try parse("explain -- --home", as: Explain.self)?.configurationID == "--home")
        let calendar = try #require(
            try parse("produce calendar a.ics --calendar work b.ics -- --help -c", as: Produce.Calendar.self))
        #expect(calendar.files == ["a.ics", "b.ics", "--help", "-c"])
    }

    @Test("An option may be read by a function of its own")
    func transform() throws {
        let sink = try #require(try parse("sink --to files:out --until-caught-up", as: Sink.self))
        #expect(sink.to == (try Destination("files:out")))
        #expect(sink.also == nil)
        #expect(sink.untilCaughtUp)
        #expect(try parse("sink --to files:out --also files:b", as: Sink.self)?.also?.directory == "b")
    }

    @Test("An empty word is a value")
    func emptyWord() throws {
        let words = ["produce", "telemetry", "--output", "", "--csv="]
        let telemetry = try #require(try Tide.parseAsRoot(words) as? Produce.Telemetry)
        #expect(telemetry.output == "")
        #expect(telemetry.csv == [""])
    }
}

@Suite("Usage errors")
struct UsageErrorTests {
    @Test(
        "The message names the wrong word and what was meant",
        arguments: [
            ("", "Missing subcommand."),
            ("produce", "Missing subcommand."),
            ("dmeo", "Unknown subcommand 'dmeo'. Did you mean 'demo'?"),
            ("produce telemtry", "Unknown subcommand 'telemtry'. Did you mean 'telemetry'?"),
            ("produce xyz", "Unknown subcommand 'xyz'. There are telemetry, calendar."),
            ("help prodoce", "Unknown subcommand 'prodoce'. Did you mean 'produce'?"),
            ("--verison", "Unknown option '--verison' before the subcommand. Did you mean '--version'?"),
            ("--seconds=5 demo", "Unknown option '--seconds' before the subcommand. It belongs after the subcommand."),
            ("demo --second 5", "Unknown option '--second'. Did you mean '--seconds'?"),
            ("demo --no-colours", "Unknown option '--no-colours'. Did you mean '--no-colors'?"),
            ("demo --xyzzy=5", "Unknown option '--xyzzy'."),
            ("demo -vz", "Unknown option '-z'."),
            ("demo -z=5", "Unknown option '-z'."),
            ("demo -ratio=5", "Unknown option '-r'. Did you mean '--ratio'?"),
            ("demo --seconds ten", "The value 'ten' is invalid for '--seconds <n>': allowed is a whole number."),
            ("demo -s ten --seconds 1", "The value 'ten' is invalid for '--seconds <n>': allowed is a whole number."),
            ("demo --ratio nan", "The value 'nan' is invalid for '--ratio <ratio>': allowed is a number."),
            ("demo --seconds", "Missing value for '--seconds <n>'."),
            (
                "demo --seconds --verbose",
                "Missing value for '--seconds <n>'. "
                    + "If '--verbose' is the value, write '--seconds=--verbose'."
            ),
            ("demo --verbose=yes", "The flag '--verbose' takes no value, but has 'yes'."),
            ("demo now", "Unexpected argument 'now'."),
            (
                "produce telemetry --format capmetric",
                "The value 'capmetric' is invalid for '--format <format>': "
                    + "allowed is one of capmetrics, ndsbr. Did you mean 'capmetrics'?"
            ),
            (
                "produce telemetry --csv --format ndsbr",
                "Missing value for '--csv <csv> ...'. "
                    + "If '--format' is the value, write '--csv=--format'."
            ),
            ("produce telemetry --set a", "The value 'a' is invalid for '--set <settings> ...': allowed is KEY=VALUE."),
            (
                "produce telemetry --set =a",
                "The value '=a' is invalid for '--set <settings> ...': allowed is KEY=VALUE."
            ),
            ("produce telemetry --bootstrap=", "'--bootstrap' names no broker."),
            ("produce telemetry --output /", "'--output' may not be the root."),
            ("produce calendar a.ics", "Missing option '--calendar <calendar>'."),
            ("produce calendar --calendar work", "Missing argument '<files> ...'."),
            ("sink --to dirs:out", "The value 'dirs:out' is invalid for '--to <to>': write files:DIR."),
            ("explain", "Missing argument '<configuration-id>'."),
            (
                "--generate-completion-script bsh",
                "The value 'bsh' is invalid for '--generate-completion-script <shell>': "
                    + "allowed is one of bash, zsh, fish. Did you mean 'bash'?"
            ),
        ])
    func messages(line: String, message: String) {
        #expect(problem(line) == message)
    }

    @Test("A usage error ends with 64 and tells how to go on; what was asked for ends with 0")
    func exits() {
        let error = #expect(throws: CommandExit.self) { try Tide.parseAsRoot(["sink"]) }
        #expect(error?.exitCode == 64)
        #expect(
            error?.text == """
                Error: Missing option '--to <to>'.
                Usage: tide sink --to <to> [options]
                  See 'tide sink --help' for more information.
                """)
        let version = #expect(throws: CommandExit.self) { try Tide.parseAsRoot(["--version"]) }
        #expect(version == .clean("tide 1.2.3"))
        #expect(version?.exitCode == 0)
        let missing = #expect(throws: CommandExit.self) { try Tide.parseAsRoot(["produce"]) }
        #expect(missing?.text.contains("SUBCOMMANDS:\n  telemetry") == true)
    }
}

@Suite("Edit distance")
struct EditDistanceTests {
    @Test(
        "Insertions, omissions, changes and swaps count one each",
        arguments: [
            ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("demo", "demo", 0), ("dmeo", "demo", 1), ("demos", "demo", 1),
            ("dem", "demo", 1), ("dxmo", "demo", 1), ("kitten", "sitting", 3), ("ca", "abc", 3),
        ])
    func distance(first: String, second: String, distance: Int) {
        #expect(EditDistance.between(first, second) == distance)
        #expect(EditDistance.between(second, first) == distance)
    }

    @Test("Only a near word is suggested, in any case, the first of equals")
    func nearest() {
        let words = ["commit.interval", "connect.timeout", "demo"]
        #expect(EditDistance.nearest(to: "comit.intervall", among: words) == "commit.interval")
        #expect(EditDistance.nearest(to: "DEMO", among: words) == "demo")
        #expect(EditDistance.nearest(to: "reset", among: words) == nil)
        #expect(EditDistance.nearest(to: "x", among: ["y", "xy"]) == "xy")
        #expect(EditDistance.nearest(to: "bat", among: ["cat", "hat"]) == "cat")
        #expect(EditDistance.nearest(to: "a", among: []) == nil)
    }
}
