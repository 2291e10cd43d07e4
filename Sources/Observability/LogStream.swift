import Foundation
import Synchronization

/// A stream of whole lines that threads share, with room for one status line below them on a terminal.
///
/// Lines never mix. A status line is taken away before a line is written and comes back below it, so that a progress
/// bar and a log can share a terminal. May be used from any thread.
package final class LogStream: Sendable {
    private struct State {
        var status = ""
    }

    private let state = Mutex(State())
    private let write: @Sendable (String) -> Void

    /// - Parameter write: Takes the text as it goes out, line ends and terminal codes included. Called by one thread at
    ///   a time, and must not call back.
    package init(write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    /// The process's standard error, unbuffered.
    package static let standardError = LogStream { text in
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR {
                // Nobody is left to tell that the log is gone.
                return
            }
        }
    }

    /// Whether standard error is a terminal.
    package static var standardErrorIsTerminal: Bool {
        isatty(STDERR_FILENO) == 1
    }

    /// Writes one line, which has no line end of its own.
    package func writeLine(_ line: String) {
        state.withLock { state in
            write(state.status.isEmpty ? "\(line)\n" : "\(Self.erase)\(line)\n\(state.status)")
        }
    }

    /// Shows `text` as the status line in place of the one before; empty takes it away. For terminals only.
    package func showStatus(_ text: String) {
        state.withLock { state in
            guard text != state.status else { return }
            write("\(Self.erase)\(text)")
            state.status = text
        }
    }

    private static let erase = "\r\u{1B}[K"
}
