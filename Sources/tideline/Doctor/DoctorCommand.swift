import Arguments
import Diagnosis
import Foundation
import Messages
import RecordLog
import Settings

/// Looks at the cluster and the application, and says what is wrong.
struct DoctorCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Looks at brokers, topics, permissions and the running application, and says what is wrong.",
        discussion: """
            Writes a line for each thing that it looks at: ✓ as it should be, ! good to know or not to be told, ✗ \
            broken, with what to do about it. It looks twice, some seconds apart, to see what moves. It changes \
            nothing: permissions are tried by requests that brokers refuse for another reason. Exit status: 0 if \
            nothing is broken, else 70.
            """,
        examples: [
            CommandExample("tideline doctor --bootstrap localhost:9092", "A line for each thing."),
            CommandExample("tideline doctor --ask 127.0.0.1:9464", "Also what a process says of its health."),
            CommandExample("tideline doctor --json | grep failure", "What is broken, for machines."),
        ])

    @Flag(help: "Write JSON lines.") var json = false
    @Option(help: ArgumentHelp("The time between the two looks.", valueName: "n")) var seconds = 5
    @Option(
        help: ArgumentHelp(
            "Ask the process that serves its health there (--metrics) for it, too; may be repeated.",
            valueName: "host:port"))
    var ask: [ListenAddress] = []
    @Flag(
        help: "Compare the broker's clock, too: makes a topic ID.doctor for a moment, writes a record, and removes it.")
    var probeClock = false
    @OptionGroup var kafka: KafkaOptions

    func validate() throws(ValidationError) {
        guard (1...600).contains(seconds) else { throw ValidationError("'--seconds' must be from 1 to 600.") }
    }

    func execute() throws(CommandFailure) {
        let report = DoctorReport(json: json)
        let environment = try Environment(kafka)
        var run = DoctorRun(environment, interval: .seconds(seconds), report: report)
        let admin = run.lookAtBrokers()
        defer { admin?.close() }
        let restored = try run.lookAtProcesses(ask)
        if let admin {
            try run.look(with: admin, probesClock: probeClock, restored: restored)
        }
        if report.failures > 0 {
            let notices = report.notices > 0 ? ", \(report.notices.counted("notice"))" : ""
            throw CommandFailure(.software, "\(report.failures.counted("failure"))\(notices)")
        }
    }
}

extension ListenAddress: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }

    static let allowedDescription: String? = "HOST:PORT, such as 127.0.0.1:9464"
}

/// Writes findings to standard output as they come, and counts them. Owned by one thread.
final class DoctorReport {
    /// True if each finding becomes a JSON object, which need not be short.
    let isForMachines: Bool
    private(set) var failures = 0
    private(set) var notices = 0

    init(json: Bool) {
        isForMachines = json
    }

    func add(_ findings: [Finding]) {
        for finding in findings {
            switch finding.level {
            case .good: break
            case .notice: notices += 1
            case .bad: failures += 1
            }
            print(isForMachines ? finding.json : finding.line)
        }
        // Each check takes a while: whoever reads along sees what is known.
        fflush(nil)
    }
}

extension Finding {
    fileprivate var line: String {
        let name = check.rawValue.padding(toLength: 12, withPad: " ", startingAt: 0)
        return "\(level.sign) \(name) \(subject): \(text)\(remedy.isEmpty ? "" : " → \(remedy)")"
    }

    fileprivate var json: String {
        JSONWriter.object { json in
            json.string("check", check.rawValue)
            json.string("subject", subject)
            json.string("level", level.rawValue)
            json.string("text", text)
            if !remedy.isEmpty { json.string("remedy", remedy) }
        }
    }
}
