import Foundation
import Observability
import RecordLog
import Settings

extension ProgressBar {
    /// Makes a bar if this job has the terminal; elsewhere lines of the log are written now and then.
    static func standardError(
        _ title: String, unit: String, total: Int? = nil, _ environment: Environment
    ) -> ProgressBar {
        standardError(
            title, unit: unit, total: total, environment.logger, environment.settings[Keys.logFormat],
            columns: { environment.statusColumns })
    }

    fileprivate static func standardError(
        _ title: String, unit: String, total: Int?, _ logger: Logger, _ format: StreamLogHandler.Format,
        columns: @escaping @Sendable () -> Int?
    ) -> ProgressBar {
        let clock = ContinuousClock()
        return ProgressBar(
            title, unit: unit, total: total, stream: .standardError, logger: logger, format: format, columns: columns,
            now: { clock.now })
    }
}

extension Environment {
    /// The width of a status line or a bar; `nil` if none is drawn, as there is no terminal, another job has it, or the
    /// log is for machines.
    var statusColumns: Int? {
        settings[Keys.logFormat] == .text ? Terminal.canvas?.columns : nil
    }
}

/// The progress of work that is usually done at once: nothing is shown within the first second. Owned by one thread.
final class LateProgress {
    private let bar: ProgressBar
    private let begin = WallClock.uptime()

    init(_ title: String, unit: String, total: Int? = nil, _ environment: Environment) {
        bar = .standardError(title, unit: unit, total: total, environment)
    }

    /// Makes the progress of a verb that has no settings.
    init(_ title: String, unit: String, total: Int? = nil) {
        bar = .standardError(
            title, unit: unit, total: total, .standardError, .text, columns: { Terminal.canvas?.columns })
    }

    private var isShown: Bool { WallClock.uptime() - begin > .seconds(1) }

    func update(completed: Int, of total: Int) {
        guard isShown else { return }
        bar.setTotal(total)
        bar.update(completed: completed)
    }

    /// Writes the last line, if the work took longer than a second.
    func finish(completed: Int) {
        guard isShown else { return }
        bar.update(completed: completed)
        bar.finish()
    }
}

extension Environment {
    /// Reads a topic to its end, with a bar once that takes longer than a second.
    ///
    /// - Parameter read: reads the topic; it calls `progress` with the records that were read and those that there are.
    /// - Throws: with status 69 if the topic cannot be read.
    func readToEnd<Content>(
        _ topic: String,
        _ read: (_ progress: (_ records: Int, _ total: Int) -> Void) throws(LogError) -> Content?
    ) throws(CommandFailure) -> Content? {
        let bar = LateProgress("reading \(topic)", unit: "records", self)
        var count = 0
        do throws(LogError) {
            let content = try read { records, total in
                count = records
                bar.update(completed: records, of: total)
            }
            bar.finish(completed: count)
            return content
        } catch {
            throw CommandFailure(.unavailable, "cannot read \(topic): \(error)")
        }
    }
}

extension Logger {
    /// Makes the progress of a verb that has no settings.
    static var standardError: Logger {
        Logger(
            label: "tideline",
            handler: StreamLogHandler(
                label: "tideline", level: .info, format: .text, colored: Terminal.isColored,
                stream: .standardError, now: { Date() }))
    }
}
