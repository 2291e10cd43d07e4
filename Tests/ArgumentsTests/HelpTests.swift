import Arguments
import Testing

@Suite("Help")
struct HelpTests {
    private func help(_ words: String...) -> String? {
        do throws(CommandExit) {
            _ = try Tide.parseAsRoot(words)
            return nil
        } catch {
            guard case .clean(let text) = error else { return nil }
            return text
        }
    }

    @Test("The program's help lists its subcommands")
    func root() {
        #expect(
            Tide.helpMessage() == """
                OVERVIEW: Turns streams into timelines.

                USAGE: tide <subcommand>

                OPTIONS:
                  -h, --help              Show this help.
                  --version               Show the version.
                  --generate-completion-script <shell>
                                          Print a completion script. (values: bash, zsh, fish)

                SUBCOMMANDS:
                  demo                    Runs everything in one process.
                  produce                 Publishes records.
                  sink                    Writes timelines out.
                  explain                 Says why.

                EXAMPLES:
                  tide demo
                      Shows everything at once.

                  See 'tide help <subcommand>' for detailed help.
                """)
    }

    @Test("A subcommand's help is wrapped at 80 columns and aligned, and its examples can be pasted")
    func subcommand() throws {
        let page = try #require(help("produce", "telemetry", "--help"))
        #expect(
            page == """
                OVERVIEW: Publishes vehicle telemetry.

                Replays recorded sets.

                Or simulates a fleet, which drives along arcs between stops, parks where it
                should, and never says the same thing twice.

                USAGE: tide produce telemetry [options]

                OPTIONS:
                  --csv <csv> ...         Recorded files.
                  --format <format>       How the files are written. (values: capmetrics, ndsbr;
                                          default: capmetrics)
                  --output <output>       Write to a directory instead.
                  --bootstrap <bootstrap>
                                          The brokers to begin with. (default: localhost:9092)
                  --set <settings> ...    Sets any setting.
                  -h, --help              Show this help.

                EXAMPLES:
                  cat day.csv | tide produce telemetry --csv - --format capmetrics > log
                      Replays what comes in.
                  tide produce telemetry --csv monday.csv tuesday.csv wednesday.csv --format \\
                      ndsbr --set 'a=b c'
                      Replays three days.
                """)
        #expect(page.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test("Arguments, short names and inversions are shown as they are typed")
    func rows() throws {
        let explain = try #require(help("explain", "-h"))
        #expect(explain.contains("USAGE: tide explain [options]") == false)
        #expect(explain.contains("USAGE: tide explain <configuration-id> [<format>] [<second>]"))
        #expect(explain.contains("  <format>                How. (values: capmetrics, ndsbr; default: ndsbr)"))
        let demo = try #require(help("help", "demo"))
        #expect(demo.contains("  -s, --seconds <n>       End after so many seconds."))
        #expect(demo.contains("  --colors, --no-colors   Use colors. (default: on)"))
    }

    @Test("Help is given wherever it is asked for, whatever else is wrong, but not behind two hyphens")
    func anywhere() throws {
        #expect(help("help") == Tide.helpMessage())
        #expect(help("--help", "produce") == Tide.helpMessage())
        #expect(help("produce", "--help")?.hasPrefix("OVERVIEW: Publishes records.") == true)
        #expect(help("help", "produce", "calendar") == help("produce", "calendar", "--bogus", "-h"))
        #expect(help("explain", "--", "--help") == nil)
    }
}

@Suite("Declarations")
struct DeclarationTests {
    struct Careless: ParsableCommand {
        static let configuration = CommandConfiguration(
            examples: [
                CommandExample("careless --twise 3", "Misspells."), CommandExample("careful", "Calls something else."),
                CommandExample("ls | careless 'one word' two 3 > \"a file\"", "Is right."),
            ])

        @Option(name: .customLong("twice"), help: "") var first = 1
        @Option(name: .customLong("twice"), help: "Again.") var second = 1
        @Flag(name: .customShort("h"), help: "Hides the help's short name.") var hidden = false
        @Argument(help: "One.") var one: String?
        @Argument(help: "Two.") var two: String
        @Argument(help: "Rest.") var rest: [String] = []
        @Argument(help: "Behind.") var behind: Int?
    }

    struct Unwrapped: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Has a property too many.", examples: [CommandExample("unwrapped", "Cannot be parsed.")])

        var plain = 1
    }

    @Test("A careful program has no problems, a careless one learns of all")
    func problems() {
        #expect(Tide.declarationProblems().isEmpty)
        #expect(
            Careless.declarationProblems() == [
                "careless: no abstract",
                "careless: --twice <first> has no help",
                "careless: --twice is declared twice",
                "careless: -h is declared twice",
                "careless: an argument follows a repeating one",
                "careless: a required argument follows an optional one",
                "careless: the example 'careless --twise 3' is wrong: "
                    + "Unknown option '--twise'. Did you mean '--twice'?",
                "careless: the example 'careful' does not call it",
            ])
        #expect(Unwrapped.declarationProblems() == ["unwrapped: plain has no wrapper"])
    }
}
