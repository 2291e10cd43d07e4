import Foundation
import Synchronization

/// A file whose age shows that a process is well: a health check looks whether it was touched lately. Any thread.
final class HealthFile: Sendable {
    private let path: String
    private let state = Mutex(State())

    private struct State {
        var touched: Duration?
        var hasFailed = false
    }

    /// Makes the file.
    ///
    /// - Parameter path: the file's path; `nil` makes no health file.
    /// - Throws: with status 64 if the file cannot be written.
    init?(_ path: String?) throws(CommandFailure) {
        guard let path else { return nil }
        self.path = path
        if let reason = Self.touch(path) {
            throw CommandFailure(.usage, "--health-file: cannot touch \(path): \(reason)")
        }
    }

    /// Sets the file's time to now, at most once a second. A failure is reported once, until it is over.
    func touch() {
        let now = WallClock.uptime()
        state.withLock { state in
            if let touched = state.touched, now - touched < .seconds(1) { return }
            state.touched = now
            let reason = Self.touch(path)
            if let reason, !state.hasFailed { writeError("tideline: cannot touch the health file \(path): \(reason)") }
            state.hasFailed = reason != nil
        }
    }

    private static func touch(_ path: String) -> String? {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard file >= 0 else { return String(cString: strerror(errno)) }
        defer { close(file) }
        return futimens(file, nil) == 0 ? nil : String(cString: strerror(errno))
    }
}
