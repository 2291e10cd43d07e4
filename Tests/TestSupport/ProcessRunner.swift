package import Foundation
import Glibc
import Synchronization

/// A program that runs beside the test: its output goes to files, and it outlives neither its time nor this process.
///
/// A thread of its own starts it and waits for it; `setpriv` has the kernel kill it when that thread is gone.
package final class ProcessRunner: Sendable {
    /// The files that it writes to; they may be read while it runs.
    package let standardOutput: URL
    package let standardError: URL

    private let state = Mutex(State())
    /// Signalled once, at the end.
    private let ended = DispatchSemaphore(value: 0)

    private struct State {
        var processIdentifier: pid_t = 0
        var startError: (any Error)?
        /// From here on the process identifier may be another program's.
        var isReaped = false
        var hasTimedOut = false
        var result: ProcessResult?
        var waiting: [CheckedContinuation<ProcessResult, Never>] = []
    }

    // MARK: - Starting

    /// Starts `executable` and returns when it runs; throws where it cannot be started.
    ///
    /// - Parameters:
    ///   - environment: added to this process's own.
    ///   - directory: where it runs; the package's root by default.
    ///   - input: the file that it reads; nothing by default.
    ///   - timeout: after this long it gets SIGKILL, and its result says so.
    package init(
        _ executable: URL, _ arguments: [String] = [], environment: [String: String] = [:],
        directory: URL = PackageRoot.url, input: URL? = nil, timeout: Duration = .seconds(400)
    ) throws {
        guard FileManager.default.isExecutableFile(atPath: executable.path) else {
            throw TestBrokerError("\(executable.path) is missing, or not executable")
        }
        let folder = TemporaryDirectory.make(executable.lastPathComponent)
        standardOutput = folder.appending(path: "stdout")
        standardError = folder.appending(path: "stderr")
        let child = ChildProcess(
            path: "/usr/bin/env",
            arguments: ["--chdir", directory.path, "setpriv", "--pdeathsig", "KILL", "--", executable.path] + arguments,
            environment: environment, input: input?.path ?? "/dev/null", output: standardOutput.path,
            errorOutput: standardError.path)

        let started = DispatchSemaphore(value: 0)
        Thread { [self] in live(child, started) }.start()
        started.wait()
        if let error = state.withLock({ $0.startError }) { throw error }
        DispatchQueue.global().asyncAfter(deadline: .now() + timeout.seconds) { [weak self] in self?.timeOut() }
    }

    /// Runs `executable` to its end; the parameters are those of `init`.
    package static func run(
        _ executable: URL, _ arguments: [String] = [], environment: [String: String] = [:],
        directory: URL = PackageRoot.url, input: URL? = nil, timeout: Duration = .seconds(120)
    ) async throws -> ProcessResult {
        try await ProcessRunner(
            executable, arguments, environment: environment, directory: directory, input: input, timeout: timeout
        ).result()
    }

    /// The thread's work: the kernel ties the program to the thread that starts it, so the same one waits.
    private func live(_ child: ChildProcess, _ started: DispatchSemaphore) {
        let identifier: pid_t
        do {
            identifier = try child.start()
        } catch {
            state.withLock { $0.startError = error }
            started.signal()
            return
        }
        state.withLock { $0.processIdentifier = identifier }
        started.signal()

        // Waits without reaping: until `isReaped` says otherwise a signal can only meet this program.
        var info = siginfo_t()
        while waitid(P_PID, id_t(identifier), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
        let status = state.withLock { state in
            var status: Int32 = 0
            waitpid(identifier, &status, 0)
            state.isReaped = true
            return status
        }
        finish(status)
    }

    /// `status` as wait(2) gives it: the signal in the low seven bits, else the exit status in the byte above.
    private func finish(_ status: Int32) {
        let signal = status & 0x7f
        let result = ProcessResult(
            status: signal == 0 ? (status >> 8) & 0xff : signal, isSignalled: signal != 0,
            hasTimedOut: state.withLock { $0.hasTimedOut }, standardOutput: output, standardError: errorOutput)
        let waiting = state.withLock { state in
            state.result = result
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: result) }
        ended.signal()
    }

    // MARK: - While it runs

    package var processIdentifier: Int32 { state.withLock { $0.processIdentifier } }
    package var isRunning: Bool { state.withLock { !$0.isReaped } }

    /// What it wrote to standard output so far.
    package var output: String { Self.text(standardOutput) }
    /// What it wrote to standard error so far.
    package var errorOutput: String { Self.text(standardError) }

    /// Sends it a signal; nothing where it has ended.
    package func signal(_ number: Int32) {
        state.withLock { state in
            if !state.isReaped { _ = Glibc.kill(state.processIdentifier, number) }
        }
    }

    /// SIGTERM.
    package func terminate() { signal(SIGTERM) }

    /// SIGKILL: `kill -9`.
    package func kill() { signal(SIGKILL) }

    private func timeOut() {
        state.withLock { $0.hasTimedOut = !$0.isReaped }
        kill()
    }

    // MARK: - At its end

    /// Waits until it has ended, however it does.
    package func result() async -> ProcessResult {
        await withCheckedContinuation { continuation in
            let result = state.withLock { state in
                if state.result == nil { state.waiting.append(continuation) }
                return state.result
            }
            if let result { continuation.resume(returning: result) }
        }
    }

    /// The same for a thread that may wait; only one may.
    package func waitBlocking() -> ProcessResult {
        ended.wait()
        guard let result = state.withLock({ $0.result }) else { preconditionFailure("ended without result") }
        return result
    }

    private static func text(_ file: URL) -> String {
        String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self)
    }
}

/// How a program ended, and what it wrote.
package struct ProcessResult: Sendable {
    /// The exit status, or the number of the signal that ended it.
    package let status: Int32
    package let isSignalled: Bool
    /// It ran into `timeout` and was killed for that.
    package let hasTimedOut: Bool
    package let standardOutput: String
    package let standardError: String

    package var succeeded: Bool { status == 0 && !isSignalled }
}

extension Duration {
    fileprivate var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
