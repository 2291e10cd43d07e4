// AcceptanceTests: the program as a user meets it. The built `tideline` runs on a real broker, and its files, topics,
// logs and exit statuses are looked at from outside. What a timeline must be is said by Oracle/, which shares no code
// with the program.

import Foundation
import TestSupport
import Testing

/// One after the other: several of them measure time, and each runs programs that want both cores.
@Suite(.serialized) enum AcceptanceTests {}

/// An application of its own on the shared broker: its name, its topics, its working directory.
struct Application: Sendable {
    let name: String
    let bootstrap: String
    /// A folder for input files and timelines.
    let directory: URL
    /// Before the names of topics.
    let prefix: String
    /// Other options of every verb.
    var settings: [String] = []

    /// - Parameters:
    ///   - partitions: of each topic; nil makes no topics.
    ///   - broker: `nil` takes the one of all tests.
    init(_ name: String, partitions: Int? = 4, on broker: TestBroker? = nil) async throws {
        self.name = uniqueName(name)
        bootstrap = if let broker { broker.bootstrap } else { try await TestBroker.shared().bootstrap }
        directory = TemporaryDirectory.make(name)
        prefix = self.name + "."
        if let partitions { try await run("topics", "--partitions", String(partitions)) }
    }

    /// Another application that reads the same inputs and writes `timelines` of its own.
    init(_ name: String, besides other: Application) async throws {
        self.name = uniqueName(name)
        bootstrap = other.bootstrap
        directory = TemporaryDirectory.make(name)
        prefix = other.prefix
        settings = other.settings
        for topic in ["timelines", "timeline.reloads", "timeline.positions.merged", "tideline.dead-letters"] {
            settings += ["--set", "topics.\(topic)=\(self.name).\(topic)"]
        }
        try await run("topics")
    }

    var options: [String] { ["--bootstrap", bootstrap, "--application", name, "--topic-prefix", prefix] + settings }

    /// The name on the broker of one of the contract's topics.
    func topic(_ name: String) -> String {
        let isRenamed = settings.contains("topics.\(name)=\(self.name).\(name)")
        return isRenamed ? "\(prefix)\(self.name).\(name)" : prefix + name
    }

    // MARK: - Running the program

    /// Runs a verb to its end, which must be a good one.
    @discardableResult
    func run(
        _ words: String..., timeout: Duration = .seconds(180), sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ProcessResult {
        try await run(words, timeout: timeout, sourceLocation: sourceLocation)
    }

    @discardableResult
    func run(
        _ words: [String], timeout: Duration = .seconds(180), sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ProcessResult {
        let result = try await tideline(words + options, timeout: timeout)
        try #require(
            result.succeeded, "tideline \(words.joined(separator: " ")): \(result.failure)",
            sourceLocation: sourceLocation)
        return result
    }

    func start(_ words: String..., timeout: Duration = .seconds(500)) throws -> ProcessRunner {
        try ProcessRunner(TidelineExecutable.url, words + options, timeout: timeout)
    }

    /// Reads what there is at `clock`, and gives the summary.
    func process(clock: String) async throws -> Summary {
        let result = try await run("process", "--until-caught-up", "--clock", clock)
        return try Summary(result)
    }

    /// Writes the timelines that there are to files, and gives their directory.
    func sink() async throws -> URL {
        let files = directory.appending(path: "timelines")
        try await run("sink", "--to", "files:\(files.path)", "--until-caught-up")
        return files
    }

    /// A file of the working directory.
    func file(_ name: String, _ text: String) throws -> String {
        let url = directory.appending(path: name)
        try Data(text.utf8).write(to: url)
        return url.path
    }

    func publish(configurations: String) async throws {
        try await run("produce", "configurations", "--json", try file("configurations.jsonl", configurations))
    }
}

/// Runs `tideline` to its end, however that is.
func tideline(
    _ words: [String], environment: [String: String] = [:], timeout: Duration = .seconds(180)
) async throws -> ProcessResult {
    try await ProcessRunner.run(TidelineExecutable.url, words, environment: environment, timeout: timeout)
}

/// The summary that `process` and `demo` print at their end.
struct Summary: Decodable {
    var records: Int
    var timelines: Int
    var reloads: Int
    var deadLetters: Int
    var wallSeconds: Double
    var cpuSeconds: Double
    var peakMemory: Int

    init(_ result: ProcessResult) throws {
        self = try JSONDecoder().decode(Summary.self, from: Data(result.standardOutput.utf8))
    }
}

extension ProcessResult {
    /// The exit status, and the last lines of standard error.
    var failure: String {
        let end = hasTimedOut ? "timed out" : isSignalled ? "signal \(status)" : "status \(status)"
        return "\(end)\n\(standardOutput.suffix(2000))\n\(standardError.suffix(4000))"
    }
}

/// One line for each of the things that the program must show, with its figure.
func show(_ line: String) {
    FileHandle.standardError.write(Data("shown: \(line)\n".utf8))
}
