import Foundation
import Messages
import Observability
import Synchronization
import Timelines

/// A board on the terminal, drawn anew as time passes. It keeps the lines of the log, shows the latest as a notice, and
/// writes them out when it is closed. Owned by one thread.
final class BoardScreen {
    private let screen = TerminalScreen()
    private let calendar = LocalCalendar(TimeZone.current.identifier) ?? .utc
    private let kept = KeptLines()
    private var state: BoardState
    private var lastDrawn: Duration?
    private static let interval = Duration.milliseconds(200)

    init(title: String, subtitle: String, hint: String) {
        state = BoardState(
            title: title, subtitle: subtitle, hint: hint, began: WallClock.systemTime())
        LogStream.standardError.divert { [kept] line in kept.add(line) }
    }

    func add(_ timeline: TimelineRecord) { state.add(timeline) }

    func add(_ reload: ReloadNotification) { state.add(reload) }

    /// Removes the card of a configuration that was deleted.
    func remove(_ configurationId: String) { state.remove(configurationId) }

    /// Draws the board, at most five times a second. May be called more often.
    func draw() {
        let now = WallClock.uptime()
        if let lastDrawn, now - lastDrawn < Self.interval { return }
        lastDrawn = now
        state.notice = kept.last
        let board = Board(state, calendar)
        let instant = WallClock.systemTime()
        screen.draw { size in board.lines(columns: size.columns, rows: size.rows, at: instant) }
    }

    /// Gives the terminal back as it was, and writes out the log that was kept.
    func close() {
        screen.close()
        LogStream.standardError.divert(to: nil)
        for line in kept.removeAll() { LogStream.standardError.writeLine(line) }
    }
}

/// The latest 100 lines of a log, and the number of all lines. Any thread.
private final class KeptLines: Sendable {
    private struct State {
        var lines: [String] = []
        var count = 0
    }

    private let state = Mutex(State())
    private static let most = 100

    func add(_ line: String) {
        state.withLock { state in
            state.count += 1
            state.lines.append(line)
            if state.lines.count > Self.most { state.lines.removeFirst() }
        }
    }

    /// The latest line; empty if nothing was logged.
    var last: String { state.withLock { $0.lines.last ?? "" } }

    func removeAll() -> [String] {
        state.withLock { state in
            defer { state = State() }
            let missing = state.count - state.lines.count
            return (missing > 0 ? ["\(missing) earlier lines of the log are left out"] : []) + state.lines
        }
    }
}
