import Foundation
import Synchronization

/// A stream of whole lines that threads share, with room for one status line below them on a terminal.
///
/// Lines never mix. A status line is taken away before a line is written and comes back below it, so that a progress
/// bar and a log can share a terminal. While another job has the terminal nothing is drawn, erased or moved: lines are
/// written as they are, and a status line is forgotten. May be used from any thread.
package final class LogStream: Sendable {
    private struct State {
        var status = ""
        var taker: (@Sendable (String) -> Void)?
    }

    private let state = Mutex(State())
    private let mayDraw: @Sendable () -> Bool
    private let write: @Sendable (String) -> Void

    /// - Parameters:
    ///   - mayDraw: Whether terminal codes may be written now. Asked by one thread at a time.
    ///   - write: Takes the text as it goes out, line ends and terminal codes included. Called by one thread at
    ///     a time, and must not call back.
    package init(mayDraw: @escaping @Sendable () -> Bool = { true }, write: @escaping @Sendable (String) -> Void) {
        self.mayDraw = mayDraw
        self.write = write
    }

    /// The process's standard error, unbuffered.
    package static let standardError = LogStream(mayDraw: { Terminal.canvas != nil }) { writeToStandardError($0) }

    /// Writes one line, which has no line end of its own.
    package func writeLine(_ line: String) {
        state.withLock { state in
            if let taker = state.taker { return taker(line) }
            guard !state.status.isEmpty else { return write("\(line)\n") }
            if mayDraw() {
                write("\(Self.erase)\(line)\n\(state.status)")
            } else {
                state.status = ""
                write("\(line)\n")
            }
        }
    }

    /// Shows `text` as the status line in place of the one before; empty takes it away.
    package func showStatus(_ text: String) {
        state.withLock { state in
            guard text != state.status, state.taker == nil else { return }
            guard mayDraw() else {
                state.status = ""
                return
            }
            write("\(Self.erase)\(text)")
            state.status = text
        }
    }

    /// From now on `taker` gets each line in place of the stream; nil gives them to the stream again. For a screen that
    /// is drawn as a whole, which lines would tear. Called by one thread at a time, and must not call back.
    package func divert(to taker: (@Sendable (String) -> Void)?) {
        state.withLock { state in
            if !state.status.isEmpty, mayDraw() { write(Self.erase) }
            state.status = ""
            state.taker = taker
        }
    }

    private static let erase = "\r\u{1B}[K"
}

/// Writes all of a text to the process's standard error.
package func writeToStandardError(_ text: String) {
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
