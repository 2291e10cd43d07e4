import Arguments
import Foundation
import RecordLog

/// Measures the pipeline beside its floor and other programs.
struct BenchCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures the pipeline beside the least that its work can cost, and beside other programs.",
        discussion: """
            Fills topics of its own with data that a seed decides, and measures in turn, in several rounds: \
            'tideline process', a floor that reads and parses telemetry and does nothing else, and the programs of \
            '--beside'. Each run is a process of its own. Prints a table of medians, of what the pipeline takes beside \
            each of the others (the median of the rounds' ratios), and of the goals; progress goes to standard error.

            It wants a broker of its own, and the machine for itself: it removes the topics that it made, and does \
            not begin if one of them exists.

            The rows: A what a record costs where timelines are few; B where nearly each record makes one; C is \
            'make day'; D how soon a change is in a committed timeline, at 200 changes a second, beside a bare \
            transaction; E how fast state is restored; F from the start to the first timeline; G what a record costs \
            with a hundred times the vehicles; H 100,000 events of calendars that five widgets show; I two stream \
            threads beside one; J row A with metrics that are read each second beside the same without.

            A program of '--beside' reads the same topics and leaves when it has read all; the figures that it prints \
            as cpu_s=, wall_s=, records=, records_per_s= and rss_peak= (kB) are used, and what the system counts in \
            place of others. Its form of '--beside-running', of the same name, runs until SIGTERM, for rows D, E and \
            F; for E its group is {application}, and it says 'restored partition=… records=… seconds=…' once for each \
            partition. In both, {bootstrap}, {prefix} and {application} are filled in.
            """,
        examples: [
            CommandExample(
                "tideline bench --bootstrap localhost:9092", "All rows at full scale: some 15 minutes."),
            CommandExample(
                "tideline bench --rows A,D --scale 0.1 --rounds 5 --json figures.json",
                "Two rows with a tenth of the data."),
            CommandExample(
                "tideline bench --rows A,B --beside 'go=gopeer -bootstrap {bootstrap} -app {application}'"
                    + " --beside-topic peer.configurations-by-vehicle", "Beside another program."),
        ])

    @Option(help: ArgumentHelp("The rows to measure.", valueName: "letters")) var rows = BenchRows.all
    @Option(help: ArgumentHelp("So often each is measured.", valueName: "n")) var rounds = 3
    @Option(help: ArgumentHelp("The part of the full amount of data, above 0.", valueName: "x")) var scale = 1.0
    @Option(help: ArgumentHelp("Partitions of each topic.", valueName: "p")) var partitions = 4
    @Option(help: ArgumentHelp("A program to measure as well; may be repeated.", valueName: "name=command"))
    var beside: [BesideProgram] = []
    @Option(help: ArgumentHelp("Its form that runs until it is told to end.", valueName: "name=command"))
    var besideRunning: [BesideProgram] = []
    @Option(
        help: ArgumentHelp(
            "A topic that these programs make, which is removed before each run; may be repeated.", valueName: "topic"))
    var besideTopic: [String] = []
    @Option(help: ArgumentHelp("Write the figures there.", valueName: "file"), completion: .file(extensions: ["json"]))
    var json: String?
    @Option(help: ArgumentHelp("Do one step alone, as bench has it done by processes of its own.", valueName: "step"))
    var step: BenchStep?
    @OptionGroup var kafka: KafkaOptions

    func validate() throws(ValidationError) {
        guard (1...100).contains(rounds) else { throw ValidationError("'--rounds' must be from 1 to 100.") }
        guard scale > 0, scale <= 100 else { throw ValidationError("'--scale' must be above 0, and at most 100.") }
        try PartitionCounts.require(partitions, as: "'--partitions'")
        for (option, programs) in [("--beside", beside), ("--beside-running", besideRunning)] {
            guard Set(programs.map(\.name)).count == programs.count else {
                throw ValidationError("'\(option)' names a program twice.")
            }
        }
        for program in besideRunning where !beside.contains(where: { $0.name == program.name }) {
            throw ValidationError("'--beside-running' names '\(program.name)', which '--beside' does not.")
        }
    }

    func execute() throws(CommandFailure) {
        let environment = try Environment(kafka)
        if let step { return try execute(step, environment) }
        if let json, !FileManager.default.createFile(atPath: json, contents: nil) {
            throw CommandFailure(.usage, "--json: cannot write \(json)")
        }
        let admin = try environment.connect()
        defer { admin.close() }
        let topics = BenchTopics(
            environment: environment, admin: admin, partitions: partitions, ofOthers: besideTopic)
        let tag = String(UInt32.random(in: 0...UInt32.max), radix: 16)
        let folder = FileManager.default.temporaryDirectory.appending(path: "tideline-bench-\(tag)")
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw CommandFailure(.software, "cannot make \(folder.path): \(error.localizedDescription)")
        }
        defer { try? FileManager.default.removeItem(at: folder) }
        let programs = BenchPrograms(
            settings: environment.settings, passedOn: passedOn, beside: beside, besideRunning: besideRunning,
            partitions: partitions, scale: scale, folder: folder, tag: tag)
        let run = BenchRun(topics, programs, rows: rows.rows, rounds: rounds)
        try run.run()
        let report = BenchReport(
            rows: rows.rows, rounds: rounds, scale: scale, cores: Cores.count, beside: beside.map(\.name),
            tally: run.tally)
        // After a signal, too: what was measured before it stands.
        print(BenchTable(report).lines.joined(separator: "\n"))
        guard let json else { return }
        do {
            try Data((report.json + "\n").utf8).write(to: URL(filePath: json))
        } catch {
            throw CommandFailure(.software, "--json: cannot write \(json): \(error.localizedDescription)")
        }
    }

    /// What was given for the pipeline as well: the file of settings, and single ones.
    private var passedOn: [String] {
        (kafka.config.map { ["--config", $0] } ?? [])
            + kafka.settings.flatMap { ["--set", "\($0.key)=\($0.value)"] }
    }

    private func execute(_ step: BenchStep, _ environment: Environment) throws(CommandFailure) {
        let admin = try environment.connect()
        defer { admin.close() }
        if let fill = BenchFill(step, scale: scale) {
            try fill.publish(to: environment)
        } else {
            print(try BenchFloor(environment: environment).run(admin))
        }
    }
}
