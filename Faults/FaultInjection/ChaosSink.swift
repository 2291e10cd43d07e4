package import Foundation
import Glibc
import TestSupport

/// A folder on a small disk of its own, which a program can find full.
///
/// It is a tmpfs in a mount namespace that a process of the driver holds: when that process ends, it is gone.
package final class SmallDisk: Sendable {
    private let holder: ProcessRunner
    private let mountPoint: URL

    /// Nil where this system lets us mount nothing.
    package init?(at mountPoint: URL, megabytes: Int) throws {
        self.mountPoint = mountPoint
        try FileManager.default.createDirectory(at: mountPoint, withIntermediateDirectories: true)
        let script = """
            mount -t tmpfs -o size=\(megabytes)m chaos "$1" && mkdir "$1/files" && exec sleep 14400
            """
        holder = try ProcessRunner(
            URL(filePath: "/usr/bin/unshare"), ["--mount", "sh", "-c", script, "sh", mountPoint.path],
            timeout: .seconds(14_400))
        let (holder, files) = (holder, folder)
        wait(atMost: 5, every: 0.02) {
            !holder.isRunning || FileManager.default.fileExists(atPath: files.path)
        }
        guard holder.isRunning else { return nil }
    }

    /// The folder as this process sees it.
    package var folder: URL {
        URL(filePath: "/proc/\(holder.processIdentifier)/root\(mountPoint.path)/files")
    }

    /// The command that runs a program where the disk is at `insidePath`.
    package var prefix: [String] { ["--mount", "--target", String(holder.processIdentifier), "--"] }
    package var insidePath: String { mountPoint.appending(path: "files").path }
    private var filler: String { "/proc/\(holder.processIdentifier)/root\(mountPoint.path)/filler" }

    /// Leaves no byte free.
    package func fill() {
        let file = open(filler, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard file >= 0 else { return }
        defer { Glibc.close(file) }
        for size in [1 << 20, 1 << 12, 1] {
            let zeros = [UInt8](repeating: 0, count: size)
            while write(file, zeros, size) > 0 {}
        }
    }

    package func empty() { unlink(filler) }

    package func close() {
        holder.kill()
    }
}

/// What the files of a sink must be in the end.
package enum SinkCheck {
    /// The faults of the files of `configurations` against the last records of the topic.
    package static func faults(
        _ folder: URL, timelines: [String: Data], configurations: some Sequence<String>
    ) -> [String] {
        configurations.compactMap { configuration in
            let file = folder.appending(path: "\(configuration).json")
            guard let wanted = timelines[configuration] else { return nil }
            guard let found = try? Data(contentsOf: file) else { return "\(configuration) has no file" }
            let (one, other) = (version(found), version(wanted))
            return one == other ? nil : "the file of \(configuration) has revision and refresh \(one), not \(other)"
        }
    }

    private static func version(_ value: Data) -> [Int?] {
        let timeline = try? JSONSerialization.jsonObject(with: value) as? [String: Any]
        return [timeline?["revision"] as? Int, timeline?["refreshCount"] as? Int]
    }
}
