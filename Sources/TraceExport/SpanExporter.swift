import Foundation
package import HTTPClient
import Synchronization
package import Tracing

/// Sends what waits in a queue of spans to a collector, in batches, on a thread of its own, from `start` to `end`.
///
/// While the collector is away a batch is kept and sent again, ever slower; what does not fit into the queue meanwhile
/// is lost and counted. So tracing costs a bounded memory and holds up nobody. Any thread.
package final class SpanExporter: Sendable {
    package let queue: SpanQueue
    private let settings: ExportSettings
    private let now: @Sendable () -> Duration
    private let makeTransport: @Sendable () -> any HTTPTransport
    private let notice: @Sendable (ExportNotice) -> Void
    private let shared = Mutex(Shared())
    private let wake: DispatchSemaphore
    private let ended = DispatchSemaphore(value: 0)

    private struct Shared {
        var counts = ExportCounts()
        /// Until then the thread may go on; `nil` while nobody asked it to end.
        var deadline: Duration?
    }

    /// - Parameters:
    ///   - capacity: of the queue.
    ///   - now: the time on a clock that does not go back.
    ///   - transport: made and used on the exporter's thread.
    ///   - notice: called on that thread.
    package init(
        _ settings: ExportSettings, capacity: Int = 8192, now: @escaping @Sendable () -> Duration,
        transport: @escaping @Sendable () -> any HTTPTransport, notice: @escaping @Sendable (ExportNotice) -> Void
    ) {
        let wake = DispatchSemaphore(value: 0)
        self.settings = settings
        self.now = now
        self.wake = wake
        self.notice = notice
        makeTransport = transport
        queue = SpanQueue(capacity: capacity, wakeCount: min(settings.batchMaximum, capacity)) { wake.signal() }
    }

    /// Call once.
    package func start() {
        let thread = Thread { [self] in
            var run = ExportRun(transport: makeTransport())
            while !turn(&run) {}
            run.transport.shutdown()
            ended.signal()
        }
        thread.name = "traces"
        thread.start()
    }

    /// Sends what waits, for `flushTimeout` at most, and ends. Blocks meanwhile. Call once, after `start`.
    package func end() {
        shared.withLock { $0.deadline = now() + settings.flushTimeout }
        wake.signal()
        ended.wait()
    }

    package var counts: ExportCounts {
        var counts = shared.withLock { $0.counts }
        counts.dropped = queue.dropped
        return counts
    }

    // MARK: - The thread

    /// What the thread alone knows.
    private struct ExportRun {
        let transport: any HTTPTransport
        /// The batch that is sent again.
        var kept: [Span] = []
        var tag = 0
        var pause = Duration.zero
        var nextAttempt = Duration.zero
        /// Since when the collector is away, and how many were lost by then.
        var trouble: (since: Duration, lost: Int)?
        var hasSaidFull = false

        init(transport: any HTTPTransport) { self.transport = transport }
    }

    /// Waits for work, and does it.
    ///
    /// - Returns: true if that was the last turn.
    private func turn(_ run: inout ExportRun) -> Bool {
        if deadline == nil { _ = wake.wait(timeout: .now() + .nanoseconds(Int(settings.interval / .nanoseconds(1)))) }
        // The last attempts are made at once.
        if deadline != nil { run.nextAttempt = .zero }
        while run.nextAttempt <= now(), deadline.map({ now() < $0 }) ?? true {
            if run.kept.isEmpty { run.kept = queue.take(settings.batchMaximum) }
            if run.kept.isEmpty { break }
            send(&run)
        }
        sayFull(&run)
        guard let deadline else { return false }
        let isDone = run.kept.isEmpty && queue.count == 0
        guard isDone || run.nextAttempt > .zero || now() >= deadline else { return false }
        let left = run.kept.count + queue.take(.max).count
        shared.withLock { $0.counts.failed += left }
        if counts.lost > 0 { notice(.lost(counts.lost)) }
        return true
    }

    private var deadline: Duration? { shared.withLock { $0.deadline } }

    private func send(_ run: inout ExportRun) {
        let count = run.kept.count
        switch answer(&run) {
        case .taken(let rejected, let reason):
            run.kept = []
            run.pause = .zero
            shared.withLock {
                $0.counts.sent += count - rejected
                $0.counts.failed += rejected
            }
            if rejected == 0 { return recover(&run) }
            begin(&run, "it refused \(rejected) of \(count) spans: \(reason)")
        case .again(let reason):
            run.pause = min(max(run.pause * 2, settings.pauseFirst), settings.pauseMost)
            run.nextAttempt = now() + run.pause
            begin(&run, reason)
        case .refused(let reason):
            run.kept = []
            shared.withLock { $0.counts.failed += count }
            begin(&run, reason)
        }
    }

    private func answer(_ run: inout ExportRun) -> OTLPAnswer {
        let body: Data
        do {
            body = try OTLPRequest(run.kept, resource: settings.resource, version: settings.version).json()
        } catch {
            return .refused("the spans cannot be written: \(error)")
        }
        run.tag += 1
        let headers = [HTTPHeader("content-type", "application/json")] + settings.headers
        run.transport.execute(
            HTTPClientRequest(url: settings.endpoint, headers: headers, body: Array(body)), tag: run.tag)
        // The transport has a time-out of its own; the end may come first.
        while true {
            let completions = run.transport.completions(timeout: .milliseconds(100))
            if let completion = completions.first(where: { $0.tag == run.tag }) { return OTLPAnswer(completion.result) }
            if let deadline, now() >= deadline { return .again("no answer before the end") }
        }
    }

    // MARK: - What is said

    private func begin(_ run: inout ExportRun, _ reason: String) {
        guard run.trouble == nil else { return }
        run.trouble = (now(), counts.lost)
        notice(.away(reason))
    }

    private func recover(_ run: inout ExportRun) {
        guard let trouble = run.trouble else { return }
        run.trouble = nil
        notice(.back(after: now() - trouble.since, lost: counts.lost - trouble.lost))
    }

    private func sayFull(_ run: inout ExportRun) {
        guard !run.hasSaidFull, queue.dropped > 0 else { return }
        run.hasSaidFull = true
        notice(.full)
    }
}
