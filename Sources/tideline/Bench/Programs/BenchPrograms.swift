import Foundation
import Settings

/// The command lines of what `bench` measures: this program's own verbs, and the programs beside it.
struct BenchPrograms {
    let settings: Settings
    /// The options that were given to `bench` and are for its processes as well.
    let passedOn: [String]
    let beside: [BesideProgram]
    /// The same programs in a form that runs until it is told to end.
    let besideRunning: [BesideProgram]
    let partitions: Int
    let scale: Double
    let folder: URL
    /// A word in the names of all applications of this run.
    let tag: String

    private static let path = "/proc/self/exe"

    /// The name of an application that nobody has used.
    func application(_ name: String) -> String {
        "\(settings[Keys.application])-bench-\(tag)-\(name)"
    }

    /// The pipeline.
    ///
    /// - Parameters:
    ///   - clock: where the clock of timelines stands while it reads what is there; `nil` lets it run until it is told
    ///     to end.
    ///   - servesMetrics: true if it serves metrics, at an address that its log says.
    func pipeline(
        _ application: String, clock: String? = BenchFill.clock, streamThreads: Int = 1, servesMetrics: Bool = false
    ) throws(CommandFailure) -> MeasuredProgram {
        var words = ["process", "--stream-threads", String(streamThreads)]
        if let clock { words += ["--clock", clock, "--until-caught-up"] }
        if servesMetrics { words += ["--metrics", "127.0.0.1:0"] }
        // The applications of all rounds write to the same outputs.
        words += ["--set", "settings.changed=accept"]
        return try own(words, application, title: "tideline process")
    }

    /// A step of a measurement, in a process of its own.
    func step(_ step: BenchStep) throws(CommandFailure) -> MeasuredProgram {
        let words = [
            "bench", "--step", step.rawValue, "--scale", String(scale), "--partitions", String(partitions),
        ]
        return try own(words, application("step"), title: step.title, sharesErrors: step != .floor)
    }

    private func own(
        _ words: [String], _ application: String, title: String, sharesErrors: Bool = false
    ) throws(CommandFailure) -> MeasuredProgram {
        let options = [
            "--bootstrap", settings[Keys.bootstrap], "--topic-prefix", settings[Keys.topicPrefix],
            "--application", application,
        ]
        return try MeasuredProgram(
            [Self.path] + words + options + passedOn, title: title, folder: folder, sharesErrors: sharesErrors)
    }

    /// A program beside the pipeline.
    func start(_ program: BesideProgram, _ application: String) throws(CommandFailure) -> MeasuredProgram {
        let line = program.line(
            bootstrap: settings[Keys.bootstrap], prefix: settings[Keys.topicPrefix], application: application)
        return try MeasuredProgram(["/bin/sh", "-c", line], title: program.name, folder: folder)
    }

    /// The form of a program that runs until it is told to end.
    func running(of program: BesideProgram) -> BesideProgram? {
        besideRunning.first { $0.name == program.name }
    }
}
