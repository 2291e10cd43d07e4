import Synchronization

/// Shows how far long work has come: on a terminal one line that is drawn anew, elsewhere a line every few seconds.
///
/// May be used from any thread. Counting is cheap, but is best done once per batch.
package final class ProgressBar: Sendable {
    /// Where the progress is shown.
    package enum Style: Equatable, Sendable {
        /// One line of at most `columns` characters, drawn anew five times a second.
        case terminal(columns: Int)
        /// A line each time this long has passed.
        case log(every: Duration)

        var interval: Duration {
            switch self {
            case .terminal: .milliseconds(200)
            case .log(let interval): interval
            }
        }
    }

    /// What the output is asked to do.
    package enum Drawing: Equatable, Sendable {
        /// Show this in place of the last redrawn line.
        case redraw(String)
        /// Take the redrawn line away, where there is one, and write this line for good.
        case line(String)
    }

    private struct State {
        var progress: Progress
        var lastDrawn: ContinuousClock.Instant
        var isFinished = false
    }

    private let style: Style
    private let now: @Sendable () -> ContinuousClock.Instant
    private let output: @Sendable (Drawing) -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - title: What is being done.
    ///   - unit: What is counted, in the plural.
    ///   - total: How many there will be, where that is known.
    ///   - now: Called at every change.
    ///   - output: Called by one thread at a time, and must not call back.
    package init(
        _ title: String, unit: String, total: Int? = nil, style: Style,
        now: @escaping @Sendable () -> ContinuousClock.Instant, output: @escaping @Sendable (Drawing) -> Void
    ) {
        let start = now()
        self.style = style
        self.now = now
        self.output = output
        self.state = Mutex(
            State(progress: Progress(title: title, unit: unit, total: total, start: start), lastDrawn: start))
    }

    /// Counts `count` more as done.
    package func advance(by count: Int = 1) {
        precondition(count >= 0, "Progress does not go back.")
        change { $0.advance(by: count, at: $1) }
    }

    /// Sets how many are done, which may be fewer than before where a part is done again.
    package func update(completed: Int) {
        precondition(completed >= 0, "A count is not negative.")
        change { $0.update(completed: completed, at: $1) }
    }

    /// Sets how many there will be; `nil` where that is not known any more.
    package func setTotal(_ total: Int?) {
        change { progress, _ in progress.total = total }
    }

    /// Writes a last line with the count, the time it took and the mean rate. Later calls do nothing.
    package func finish() {
        state.withLock { state in
            guard !state.isFinished else { return }
            state.isFinished = true
            output(.line(state.progress.summary(at: now())))
        }
    }

    private func change(_ body: (inout Progress, ContinuousClock.Instant) -> Void) {
        state.withLock { state in
            guard !state.isFinished else { return }
            let instant = now()
            body(&state.progress, instant)
            guard instant - state.lastDrawn >= style.interval else { return }
            state.lastDrawn = instant
            switch style {
            case .terminal(let columns): output(.redraw(state.progress.bar(at: instant, columns: columns)))
            case .log: output(.line(state.progress.line(at: instant)))
            }
        }
    }
}

extension ProgressBar {
    /// Draws on a terminal: the bar as the stream's status line, the last line for good.
    package convenience init(
        _ title: String, unit: String, total: Int? = nil, terminal: LogStream, columns: Int = 80,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.init(title, unit: unit, total: total, style: .terminal(columns: columns), now: now) { drawing in
            switch drawing {
            case .redraw(let text):
                terminal.showStatus(text)
            case .line(let text):
                terminal.showStatus("")
                terminal.writeLine(text)
            }
        }
    }

    /// Says it in the log, at `info`, each time `interval` has passed.
    package convenience init(
        _ title: String, unit: String, total: Int? = nil, logger: Logger, every interval: Duration = .seconds(5),
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.init(title, unit: unit, total: total, style: .log(every: interval), now: now) { drawing in
            switch drawing {
            case .redraw(let text), .line(let text): logger.info("\(text)")
            }
        }
    }
}
