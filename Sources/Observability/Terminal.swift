import Foundation

/// The terminal that standard error goes to. Nothing is kept: each question asks the system anew, so that a resize,
/// `bg` and `fg` are seen at once. Any thread.
package enum Terminal {
    package struct Size: Hashable, Sendable {
        package var columns: Int
        package var rows: Int

        package init(columns: Int, rows: Int) {
            self.columns = columns
            self.rows = rows
        }
    }

    /// True if standard error is a terminal, in whatever state.
    package static var isPresent: Bool { isatty(STDERR_FILENO) == 1 }

    /// The room for drawing; `nil` if nothing may be drawn: standard error is no terminal, `TERM` names
    /// one that cannot move its cursor, or another job has the terminal (POSIX, foreground process group).
    ///
    /// A terminal that does not know its size counts as 80 x 24.
    package static var canvas: Size? {
        guard isPresent, !isDumb, tcgetpgrp(STDERR_FILENO) == getpgrp() else { return nil }
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return Size(columns: 80, rows: 24) }
        return Size(columns: size.ws_col > 0 ? Int(size.ws_col) : 80, rows: size.ws_row > 0 ? Int(size.ws_row) : 24)
    }

    /// True if colour is wanted on standard error: it is a terminal that has some, and `NO_COLOR` is not set.
    package static var isColored: Bool { isPresent && !isDumb && environment("NO_COLOR").isEmpty }

    private static var isDumb: Bool { environment("TERM") == "dumb" }

    private static func environment(_ name: String) -> String { ProcessInfo.processInfo.environment[name] ?? "" }
}
