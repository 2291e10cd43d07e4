package import Foundation
import Glibc
import Synchronization
package import TestSupport

/// One place where a program runs, again and again: what ends by itself is noted and started anew, as a supervisor
/// would.
package final class ProgramSlot: Sendable {
    package let name: String
    private let executable: URL
    private let arguments: [String]
    private let environment: [String: String]
    private let input: URL?
    private let logs: URL
    private let isExplained: @Sendable (_ result: ProcessResult, _ startedAt: Double) -> Bool
    private let state = Mutex(State())

    private struct State {
        var runner: ProcessRunner?
        var starts = 0
        var startedAt = 0.0
        var isHurt = false
        var incidents: [String] = []
        var explained = 0
        /// The number of the last start whose end was judged.
        var judged = 0
    }

    /// - Parameter isExplained: true if an end with a failure is what a fault must lead to.
    package init(
        _ name: String, _ executable: URL, _ arguments: [String], environment: [String: String] = [:],
        input: URL? = nil, logs: URL,
        isExplained: @escaping @Sendable (_ result: ProcessResult, _ startedAt: Double) -> Bool = { _, _ in false }
    ) {
        self.name = name
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
        self.input = input
        self.logs = logs
        self.isExplained = isExplained
    }

    package var isRunning: Bool { state.withLock { $0.runner?.isRunning ?? false } }
    package var starts: Int { state.withLock { $0.starts } }
    package var processIdentifier: pid_t? {
        state.withLock { $0.runner.flatMap { $0.isRunning ? $0.processIdentifier : nil } }
    }
    /// What it has written to standard error since its last start.
    package var errorOutput: String { state.withLock { $0.runner }?.errorOutput ?? "" }
    /// The times when it ended though nobody ended it, or ended badly when asked to: what it said last.
    package var incidents: [String] { state.withLock { $0.incidents } }
    /// How often it ended with a failure that a fault explains.
    package var explainedEnds: Int { state.withLock { $0.explained } }

    /// True if it has ended, and not in order.
    package var hasFailed: Bool {
        guard let runner = state.withLock({ $0.runner }), !runner.isRunning else { return false }
        return !runner.waitBlocking().succeeded
    }

    package func start() throws {
        let runner = try ProcessRunner(
            executable, arguments, environment: environment, input: input, timeout: .seconds(14_400))
        state.withLock { state in
            state.runner = runner
            state.starts += 1
            state.startedAt = monotonicSeconds()
        }
    }

    package func signal(_ number: Int32) { state.withLock { $0.runner }?.signal(number) }

    /// SIGKILL, and its log is kept.
    package func kill() {
        guard let runner = state.withLock({ $0.runner }) else { return }
        if runner.isRunning { _ = isFirstLook() } else { judgeEnd(of: runner) }
        runner.kill()
        wait(atMost: 20, every: 0.02) { !runner.isRunning }
        keep(runner)
    }

    /// SIGTERM; what does not end in order, with status 0, within so many seconds is an incident.
    package func terminate(within seconds: Double = 40) {
        guard let runner = state.withLock({ $0.runner }) else { return }
        guard runner.isRunning else { return judgeEnd(of: runner) }
        _ = isFirstLook()
        // A program has a moment until it handles signals.
        Thread.sleep(forTimeInterval: max(0, state.withLock { $0.startedAt } + 1.5 - monotonicSeconds()))
        runner.terminate()
        if wait(atMost: seconds, every: 0.02, until: { !runner.isRunning }) {
            let result = runner.waitBlocking()
            if !result.succeeded { judge(result, "ended with \(Self.end(result)) after SIGTERM", runner) }
            keep(runner)
        } else {
            note("had not ended \(Int(seconds)) s after SIGTERM", runner)
            kill()
        }
    }

    /// Does `work`, meanwhile nobody else hurts it and its end is not an incident.
    ///
    /// - Returns: false where somebody else is at it.
    package func whileHurt(_ work: () throws -> Void) rethrows -> Bool {
        let isFree = state.withLock { state in
            defer { state.isHurt = true }
            return !state.isHurt
        }
        guard isFree else { return false }
        defer { state.withLock { $0.isHurt = false } }
        try work()
        return true
    }

    /// Starts it again where it has ended by itself, and notes that.
    package func supervise() throws {
        _ = try whileHurt {
            guard let runner = state.withLock({ $0.runner }), !runner.isRunning else { return }
            judgeEnd(of: runner)
            keep(runner)
            try start()
        }
    }

    /// Once for each start: who looks again finds nothing new.
    private func judgeEnd(of runner: ProcessRunner) {
        guard isFirstLook() else { return }
        let result = runner.waitBlocking()
        judge(result, "ended by itself with \(Self.end(result))", runner)
    }

    private func isFirstLook() -> Bool {
        state.withLock { state in
            defer { state.judged = state.starts }
            return state.judged < state.starts
        }
    }

    private func judge(_ result: ProcessResult, _ text: String, _ runner: ProcessRunner) {
        if isExplained(result, state.withLock { $0.startedAt }) {
            state.withLock { $0.explained += 1 }
        } else {
            note(text, runner)
        }
    }

    private func note(_ text: String, _ runner: ProcessRunner) {
        let last = runner.errorOutput.split(separator: "\n").suffix(3).joined(separator: "\n    ")
        state.withLock { $0.incidents.append("\(name) \(text); it said last:\n    \(last)") }
    }

    private func keep(_ runner: ProcessRunner) {
        let number = starts
        let log = logs.appending(path: "\(name).\(number).log")
        try? FileManager.default.copyItem(at: runner.standardError, to: log)
        try? FileManager.default.removeItem(at: runner.standardError.deletingLastPathComponent())
    }

    /// Keeps the log of the one that runs, too.
    package func keepLog() {
        if let runner = state.withLock({ $0.runner }) { keep(runner) }
    }

    private static func end(_ result: ProcessResult) -> String {
        result.isSignalled ? "signal \(result.status)" : "status \(result.status)"
    }
}
