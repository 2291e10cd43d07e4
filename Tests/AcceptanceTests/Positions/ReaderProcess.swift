import Foundation
import TestSupport
import Testing

/// The example reader as a process of its own: one device, which takes commands and can be killed.
final class ReaderProcess: Sendable {
    let device: String
    private let runner: ProcessRunner
    private let input: FileHandle

    /// - Parameter directory: what is on the device's disk; the same one after a crash.
    init(_ device: String, server: String, configuration: String, directory: URL) throws {
        self.device = device
        let settings = directory.appending(path: "Settings.plist")
        try Data(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>PositionPersistence</key><dict><key>AutoSaveInterval</key><real>0.2</real></dict>
            </dict></plist>
            """.utf8
        ).write(to: settings)
        let pipe = directory.appending(path: uniqueName("input"))
        try #require(mkfifo(pipe.path, 0o600) == 0)
        // Open for both: neither side waits for the other, and the reader sees no end before it is told to quit.
        let descriptor = open(pipe.path, O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
        input = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        runner = try ProcessRunner(
            TidelineExecutable.url.deletingLastPathComponent().appending(path: "reader"),
            [
                "--server", server, "--configuration", configuration, "--reader", "ana", "--device", device,
                "--directory", directory.appending(path: "data").path, "--settings", settings.path,
            ], input: pipe, timeout: .seconds(600))
    }

    /// Gives a command, and waits for the line that ends its answer.
    ///
    /// - Returns: all lines of the answer.
    @discardableResult
    func ask(_ command: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String] {
        let name = command.prefix { $0 != " " }
        let before = lines.count
        try input.write(contentsOf: Data("\(command)\n".utf8))
        let isAnswered = await eventually(within: .seconds(120), every: .milliseconds(10)) {
            lines.dropFirst(before).contains { $0.hasPrefix("\(name): ") }
        }
        try #require(isAnswered, "\(device) \(command): \(lines) \(runner.errorOutput)", sourceLocation: sourceLocation)
        return Array(lines.dropFirst(before))
    }

    /// The last line of an answer, without the command's name.
    func answer(to command: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
        let last = try #require(try await ask(command, sourceLocation: sourceLocation).last)
        return String(last.drop { $0 != " " }.dropFirst())
    }

    /// What the device exports for debugging.
    func export() async throws -> [String: Any] {
        let text = try await ask("export").dropLast().joined(separator: "\n")
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private var lines: [String] { runner.output.split(separator: "\n").map(String.init) }

    /// `kill -9`.
    func kill() async -> ProcessResult {
        runner.kill()
        return await runner.result()
    }

    /// Ends it in order.
    func quit() async throws -> ProcessResult {
        try input.write(contentsOf: Data("quit\n".utf8))
        return await runner.result()
    }
}
