import Synchronization

/// Shows how far long work has come: on a terminal one line that is drawn anew, elsewhere a line now and then.
///
/// May be used from any thread. Counting is cheap, but is best done once per batch.
package final class ProgressBar: Sendable {
    /// The output on which the progress is shown.
    package enum Style: Equatable, Sendable {
        /// One line of at most `columns` characters, drawn anew five times a second.
        case terminal(columns: Int)
        /// A line each time this long has passed, and, where the total is known, at each tenth of it, then at least
        /// five seconds after the line before.
        case log(every: Duration)
    }

    /// A request to the output.
    package enum Drawing: Equatable, Sendable {
        /// Show this in place of the last redrawn line.
        case redraw(String)
        /// Removes the redrawn line, if there is one, and writes this line for good.
        case line(Line)
    }

    /// The same twice: for people, and for machines.
    package struct Line: Equatable, Sendable {
        package var text: String
        /// The work that is being done.
        package var title: String
        /// The counts, with their units in their names.
        package var metadata: Logger.Metadata
    }

    private struct State {
        var progress: Progress
        var lastDrawn: ContinuousClock.Instant
        var lastTenth = 0
        var isFinished = false
    }

    private let style: @Sendable () -> Style
    private let now: @Sendable () -> ContinuousClock.Instant
    private let output: @Sendable (Drawing) -> Void
    private let state: Mutex<State>
    private static let tenthInterval = Duration.seconds(5)

    /// - Parameters:
    ///   - title: What is being done.
    ///   - unit: What is counted, in the plural.
    ///   - total: How many there will be, where that is known.
    ///   - style: Asked anew at every change: a job may lose its terminal and get it back.
    ///   - now: Called at every change.
    ///   - output: Called by one thread at a time, and must not call back.
    package init(
        _ title: String, unit: String, total: Int? = nil, style: @escaping @Sendable @autoclosure () -> Style,
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
            let waited = instant - state.lastDrawn
            guard waited >= .milliseconds(200) else { return }
            switch style() {
            case .terminal(let columns):
                output(.redraw(state.progress.bar(at: instant, columns: columns)))
            case .log(let interval):
                let tenth = state.progress.tenth
                guard waited >= interval || tenth != state.lastTenth && waited >= Self.tenthInterval else { return }
                state.lastTenth = tenth
                output(.line(state.progress.line(at: instant)))
            }
            state.lastDrawn = instant
        }
    }
}

extension ProgressBar {
    /// Draws if `columns` gives room, and writes to the log, at `info`, if it gives none.
    ///
    /// - Parameters:
    ///   - stream: What the bar is the status line of; the last line goes there for good.
    ///   - format: The logger's.
    ///   - columns: The terminal's width; `nil` if nothing may be drawn. Asked at every change.
    package convenience init(
        _ title: String, unit: String, total: Int? = nil, stream: LogStream, logger: Logger,
        format: StreamLogHandler.Format, columns: @escaping @Sendable () -> Int?,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.init(
            title, unit: unit, total: total,
            // The last column stays free: a character there makes some terminals begin a new line.
            style: columns().map { .terminal(columns: $0 - 1) } ?? .log(every: .seconds(60)), now: now
        ) { drawing in
            switch drawing {
            case .redraw(let text): stream.showStatus(text)
            case .line(let line):
                stream.showStatus("")
                switch format {
                case .text where columns() != nil: stream.writeLine(line.text)
                case .text: logger.info("\(line.text)")
                case .json: logger.info("\(line.title)", metadata: line.metadata)
                }
            }
        }
    }
}
