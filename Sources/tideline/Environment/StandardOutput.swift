import Foundation
import Preview

/// Standard output, which takes results.
enum StandardOutput {
    /// - Returns: false if nobody reads it any more.
    static func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let written = Foundation.write(STDOUT_FILENO, part.baseAddress, part.count)
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    /// - Returns: false if nobody reads it any more, or a signal asked the program to end.
    static func write(_ lines: [String]) -> Bool {
        if Signals.isStopRequested { return false }
        let text = Array(lines.map { "\($0)\n" }.joined().utf8)
        return text.withUnsafeBytes { write($0) }
    }
}

extension TableStyle {
    /// The style of tables on standard output: as wide as `COLUMNS` or else the terminal says, without colour if
    /// `NO_COLOR` is set or no terminal shows it.
    static var ofStandardOutput: TableStyle { ofStandardOutput(elsewhere: 100) }

    /// The same for tables of which a program may read each row: off a terminal nothing of a value is cut, unless
    /// `COLUMNS` says so.
    static var ofRows: TableStyle { ofStandardOutput(elsewhere: 100_000) }

    /// - Parameter elsewhere: the columns where neither `COLUMNS` nor a terminal says any.
    private static func ofStandardOutput(elsewhere: Int) -> TableStyle {
        let environment = ProcessInfo.processInfo.environment
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        let columns = environment["COLUMNS"].flatMap { Int($0) } ?? (isKnown ? Int(size.ws_col) : elsewhere)
        let isColored = isatty(STDOUT_FILENO) == 1 && (environment["NO_COLOR"] ?? "").isEmpty
        return TableStyle(columns: max(40, columns), isColored: isColored)
    }
}
