package import Foundation
import Glibc
import Synchronization
import TestSupport

/// Writes the ledger to the inputs through `tideline produce`, at a bounded rate, until it is told to finish.
///
/// Telemetry goes through one producer that runs all the while, configurations, events and positions through one
/// for each round.
package final class LedgerWriter: Sendable {
    private let ledger: Ledger
    private let tideline: URL
    private let options: [String]
    private let rate: Double
    private let directory: URL
    private let telemetry: ProgramSlot
    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)
    private static let roundSeconds = 2.0
    /// A producer that meets outages holds records for no longer.
    private static let memorySeconds = 300.0

    private struct State {
        var isFinishing = false
        var begun = 0
        var records = 0
        var repeats = 0
        var isRepeatWanted = false
        var failure: String?
        /// Telemetry of the last minutes, and when it was sent.
        var sent: [(at: Double, lines: [String])] = []
    }

    package init(
        _ ledger: Ledger, tideline: URL, options: [String], rate: Double, directory: URL, logs: URL
    ) throws {
        self.ledger = ledger
        self.tideline = tideline
        self.options = options
        self.rate = rate
        self.directory = directory
        let pipe = directory.appending(path: "telemetry.fifo")
        guard mkfifo(pipe.path, 0o600) == 0 else { throw ChaosError("cannot make \(pipe.path)") }
        telemetry = ProgramSlot(
            "produce-telemetry", tideline, ["produce", "telemetry", "--json", "-"] + options, input: pipe, logs: logs)
    }

    package var generations: Int { state.withLock { $0.begun } }
    /// The times when the producer of telemetry ended by itself.
    package var incidents: [String] { telemetry.incidents }
    package var records: Int { state.withLock { $0.records } }
    package var failure: String? { state.withLock { $0.failure } }

    package func start() throws {
        // For both ways, so that neither opening it nor a producer's end blocks anybody.
        let pipe = open(directory.appending(path: "telemetry.fifo").path, O_RDWR | O_NONBLOCK)
        guard pipe >= 0 else { throw ChaosError("cannot open the pipe of telemetry") }
        try telemetry.start()
        Thread { [self] in
            do { try write(to: pipe) } catch { state.withLock { $0.failure = "\(error)" } }
            close(pipe)
            wait(atMost: 60) { !telemetry.isRunning }
            if telemetry.isRunning { state.withLock { $0.failure = "the producer of telemetry does not end" } }
            if telemetry.hasFailed {
                do { try produce("telemetry", remembered) } catch { state.withLock { $0.failure = "\(error)" } }
            }
            ended.signal()
        }.start()
    }

    /// Completes the generations begun, and returns when all is acknowledged.
    package func finish() {
        state.withLock { $0.isFinishing = true }
        ended.wait()
    }

    /// Writes all configurations anew, as to a topic that was made again, and returns when they are acknowledged.
    package func repeatConfigurations() throws {
        state.withLock { $0.isRepeatWanted = true }
        guard wait(atMost: 120, until: { state.withLock { !$0.isRepeatWanted || $0.failure != nil } }) else {
            throw ChaosError("the configurations are not written anew within 120 s")
        }
    }

    // MARK: - The thread

    private func write(to pipe: Int32) throws {
        var begun: [Int: Int] = [:]
        var next = monotonicSeconds()
        var owed = 0.0
        while true {
            let isFinishing = state.withLock { $0.isFinishing }
            if isFinishing && begun.isEmpty { return }
            var lines = Ledger.Lines()
            if !isFinishing {
                owed += rate * Self.roundSeconds
                for _ in 0..<Int(owed) {
                    begun[
                        state.withLock {
                            $0.begun += 1; return $0.begun - 1
                        }] = 0
                }
                owed -= owed.rounded(.down)
            }
            for (generation, wave) in begun.sorted(by: { $0.key < $1.key }) {
                lines.append(ledger.wave(wave, of: generation))
                begun[generation] = wave + 1 < Ledger.waves ? wave + 1 : nil
            }
            if state.withLock({ $0.isRepeatWanted }) {
                let all = 0..<state.withLock { $0.begun }
                try produce("configurations", all.flatMap { ledger.wave(0, of: $0).configurations })
                state.withLock { $0.isRepeatWanted = false }
            }
            try send(lines.telemetry, to: pipe)
            try produce("configurations", lines.configurations)
            try produce("calendar", lines.events)
            try produce("positions", lines.positions)
            state.withLock { $0.records += lines.count }
            next = max(next + Self.roundSeconds, monotonicSeconds() - Self.roundSeconds)
            Thread.sleep(forTimeInterval: isFinishing ? 0.2 : max(0, next - monotonicSeconds()))
        }
    }

    /// A producer that ends says what it did not publish, but not to this program: what it may have had is sent to its
    /// successor once more. A record that comes twice changes nothing.
    private func send(_ lines: [String], to pipe: Int32) throws {
        let now = monotonicSeconds()
        state.withLock { state in
            state.sent.removeAll { $0.at < now - Self.memorySeconds }
            state.sent.append((now, lines))
        }
        if telemetry.isRunning { return try write(lines, to: pipe) }
        try telemetry.supervise()
        try write(remembered, to: pipe)
    }

    private var remembered: [String] { state.withLock { $0.sent.flatMap(\.lines) } }

    private func write(_ lines: [String], to pipe: Int32) throws {
        var bytes = Array(lines.map { $0 + "\n" }.joined().utf8)[...]
        let deadline = monotonicSeconds() + 120
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(pipe, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else {
                try telemetry.supervise()
                guard monotonicSeconds() < deadline else { throw ChaosError("telemetry is not taken for 120 s") }
                Thread.sleep(forTimeInterval: 0.05)
            }
        }
    }

    /// Again until it is acknowledged: a record that comes twice changes nothing.
    private func produce(_ what: String, _ lines: [String]) throws {
        guard !lines.isEmpty else { return }
        let file = directory.appending(path: "\(what).jsonl")
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: file)
        for _ in 0..<20 {
            let runner = try ProcessRunner(
                tideline, ["produce", what, "--json", file.path] + options, timeout: .seconds(60))
            let result = runner.waitBlocking()
            try? FileManager.default.removeItem(at: runner.standardError.deletingLastPathComponent())
            if result.succeeded { return }
            state.withLock { $0.repeats += 1 }
            Thread.sleep(forTimeInterval: 0.5)
            if result.status == 64 || result.status == 65 { throw ChaosError(result.standardError) }
        }
        throw ChaosError("\(what) are not taken after 20 tries")
    }
}
