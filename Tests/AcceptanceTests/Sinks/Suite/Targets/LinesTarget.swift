import Foundation
import Glibc
import TestSupport
import Testing

/// Standard output, each run's in a file of its own. A pipe is between where its reader is to be slow, and the file is
/// on a small disk where that is to be full.
final class LinesTarget: TargetUnderTest {
    let guarantee: SinkGuarantee
    let address = "stdout"
    private let folder = TemporaryDirectory.make("lines")
    /// The file of each run.
    private var files: [URL] = []
    /// What comes to the run that starts next.
    private var fault: TargetFault?
    /// Reads the pipe of the run that has one.
    private var reader: ProcessRunner?
    private var disk: MountedDisk?

    init() async {
        var guarantee = SinkGuarantee.lines
        if await !MountedDisk.isPossible() { guarantee.full = nil }
        self.guarantee = guarantee
    }

    func prepare(for fault: TargetFault) async throws {
        self.fault = fault
        if fault == .full, disk == nil { disk = try await MountedDisk(at: TemporaryDirectory.make("lines-disk")) }
    }

    func launcher() throws -> [String] {
        let name = "\(files.count).jsonl"
        let file = (fault == .full ? disk?.folder ?? folder : folder).appending(path: name)
        let output = fault == .slow ? try pipe(to: file) : file
        fault = nil
        files.append(file)
        return ["/bin/sh", "-c", "exec \"$@\" > '\(output.path)'", "sh"]
    }

    /// A pipe whose reader, which can be stopped, writes to the file.
    private func pipe(to file: URL) throws -> URL {
        let pipe = folder.appending(path: "\(file.lastPathComponent).pipe")
        try #require(mkfifo(pipe.path, 0o600) == 0)
        reader = try ProcessRunner(
            URL(filePath: "/bin/sh"), ["-c", "exec cat < '\(pipe.path)' > '\(file.path)'"], timeout: .seconds(300))
        return pipe
    }

    private func lines(_ file: URL) -> [Substring] {
        ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n")
    }

    func progress() -> Int { files.reduce(0) { $0 + lines($1).count } }

    /// The lines of the last run count: who reads it has nothing of those before.
    func contents() throws -> [String: Data] {
        var newest: [String: Data] = [:]
        for line in files.last.map(lines) ?? [] {
            guard let id = line.firstMatch(of: /^{"configurationId":"([^"]*)"/)?.1 else { continue }
            newest[String(id)] = line.hasSuffix(#""deleted":true}"#) ? nil : Data(line.utf8)
        }
        return newest
    }

    func stall() { reader?.signal(SIGSTOP) }

    func goOn() { reader?.signal(SIGCONT) }

    func fill() async throws { try await disk?.fill() }

    func makeRoom() async throws { try await disk?.empty() }

    func close() async throws {
        reader?.kill()
        try await disk?.close()
    }
}
