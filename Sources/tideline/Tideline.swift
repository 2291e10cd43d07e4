// tideline: the command line, and the composition root that connects all other modules.
//
// It must not know how a timeline is made, a task restored or a record decoded: it reads settings, makes the parts and
// waits for them. Everything that reads the real clock, draws random numbers, looks at the environment or handles
// signals is here, and the other modules get it handed in.
//
// Begin with the table of subcommands below. A verb of one file stands beside this one, a verb of several has a folder:
// `Process`, `Produce`, `Sink`, `Serve`, `Demo`, `Topics`, `Permissions`, `Doctor`, `Transactions`, `Reset`. Words
// become a `Verb` whose properties are its options; `KafkaOptions` and `Settings/TidelineSettings` make settings of
// them; `Environment` makes the broker, the log and the topics of the settings; the verb's `execute` does the rest,
// from its first line to its last.

import Arguments
import Foundation
import Messages
import Observability

struct Tideline: ParsableCommand {
    /// The text of `--version`.
    static let version = "tideline \(ContractVersion.release)"

    static let configuration = CommandConfiguration(
        abstract: "Turns vehicle telemetry and calendar events on Kafka into widget timelines.",
        discussion: """
            Producers publish to Kafka topics; 'process' makes a timeline for every widget configuration and says when \
            a widget must reload; 'sink' writes the timelines out.

            Settings come from flags, then environment variables (TIDELINE_…), then a YAML file (--config), then \
            defaults. Exit status: 0 done, 64 wrong usage or settings, 65 wrong input, 69 no broker or topics, 70 \
            failed for good, 130 Ctrl-C at a question.
            """,
        version: Self.version,
        examples: [
            CommandExample("tideline demo --seconds 20", "Everything in one process, on an embedded broker."),
            CommandExample("tideline process --bootstrap localhost:9092", "The pipeline, on a real Kafka."),
        ],
        subcommands: [
            DemoCommand.self, TopicsCommand.self, PermissionsCommand.self, ProduceCommand.self, ProcessCommand.self,
            SinkCommand.self, ServeCommand.self, ListCommand.self, ShowCommand.self, ExplainCommand.self,
            DeadLettersCommand.self, DoctorCommand.self, TransactionsCommand.self, ResetCommand.self,
            RepartitionCommand.self, ReloadCommand.self, PreviewCommand.self, AgendaCommand.self, BenchCommand.self,
        ])
}

@main
enum Program {
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        do throws(CommandExit) {
            let command = try Tideline.parseAsRoot(words)
            guard let verb = command as? any Verb else {
                print(Tideline.helpMessage())
                exit(ExitStatus.usage.rawValue)
            }
            Foundation.exit(run(verb))
        } catch {
            switch error {
            case .clean: print(error.text)
            case .usage: writeError(error.text)
            }
            exit(error.exitCode)
        }
    }

    private static func run(_ verb: any Verb) -> Int32 {
        Signals.install()
        do throws(CommandFailure) {
            try verb.execute()
            return ExitStatus.success.rawValue
        } catch {
            writeError("tideline: \(error.message)")
            return error.status.rawValue
        }
    }
}

/// A verb of the command line. Runs on the main thread and blocks it: nothing here is on Swift's cooperative pool.
protocol Verb: ParsableCommand {
    func execute() throws(CommandFailure)
}

/// The exit statuses of the program, with the numbers of sysexits.h.
enum ExitStatus: Int32 {
    case success = 0
    case usage = 64
    case dataError = 65
    case unavailable = 69
    case software = 70
    /// Ended by Ctrl-C at a question; a shell gives this status to what SIGINT has ended.
    case interrupted = 130
}

/// Ends the program with a status and a message on standard error.
struct CommandFailure: Error {
    var status: ExitStatus
    var message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }
}

/// Writes to standard error, apart from a bar that is drawn there.
func writeError(_ text: String) {
    LogStream.standardError.writeLine(text)
}
