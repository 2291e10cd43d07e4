import Foundation
import Observability
import Synchronization

/// The terminal's second screen, which full-screen programs draw on: what was on the first one comes back when it is
/// left. What is typed meanwhile is not shown, and dropped; Ctrl-C and Ctrl-Z work. Owned by one thread.
///
/// However the program ends, the terminal is left as it was: in order, by a fault, or by Ctrl-Z until it goes on.
final class TerminalScreen {
    private var shown: [String] = []
    private var size = Terminal.Size(columns: 0, rows: 0)
    private let signals = ScreenSignals()
    // A terminal that knows mode 2026 draws everything between these at once; others ignore them.
    private static let frameBegin = "\u{1b}[?2026h"
    private static let frameEnd = "\u{1b}[?2026l"

    init() {
        ScreenState.open()
        signals.install()
    }

    /// Draws the lines that have changed; after a stop of the program, all of them. Draws nothing while another job has
    /// the terminal.
    func draw(_ lines: (Terminal.Size) -> [StyledLine]) {
        guard let size = Terminal.canvas else { return }
        let rows = lines(size).map { $0.text(isColored: Terminal.isColored) }
        ScreenState.whileWriting { entering in
            var text = entering
            if !entering.isEmpty || size != self.size || shown.isEmpty {
                text += "\u{1b}[2J"
                shown = []
                self.size = size
            }
            for (row, line) in rows.prefix(size.rows).enumerated() where row >= shown.count || shown[row] != line {
                // A line is as wide as the terminal, so it covers the one that was there.
                text += "\u{1b}[\(row + 1);1H\(line)"
            }
            shown = rows
            if !text.isEmpty { writeToStandardError(Self.frameBegin + text + Self.frameEnd) }
        }
    }

    func close() {
        Self.restore()
        signals.remove()
    }

    /// Leaves the second screen if it was entered. Async-signal-safe, on any thread.
    static func restore() { ScreenState.leave() }
}
