import RecordLog
import StreamRuntime
import Synchronization

/// Work beside a thread of a process, on the test's own thread: at once, or later by the cluster's clock if the plan
/// says `lateInquiry`. What is late is done when a consumer of the process is polled, so the group may have gone on
/// since the question. What waits dies with its process.
package final class MemoryBackground: Background, Sendable {
    private let process: MemoryProcess
    private let state = Mutex(State())

    private struct State {
        var waiting: [(at: Instant, work: @Sendable () -> Void)] = []
        var isClosed = false
    }

    init(_ process: MemoryProcess) {
        self.process = process
    }

    package func run(isUrgent: Bool, _ work: @escaping @Sendable () -> Void) {
        guard !process.isDead, !state.withLock({ $0.isClosed }) else { return }
        let now = process.cluster.now
        let opportunity = Opportunity(
            call: .log(.background), moment: .beforeEffect, client: nil, process: process.name, timeout: nil, now: now)
        let length = process.cluster.length(of: .lateInquiry, at: opportunity)
        // One piece after the other, in the order in which they came.
        let waits = state.withLock { state in
            guard length != nil || !state.waiting.isEmpty else { return false }
            let due = now + ElapsedTime(length ?? .zero)
            state.waiting.append((max(due, state.waiting.last?.at ?? due), work))
            return true
        }
        if !waits { work() }
    }

    package func close(_ last: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            defer { state = State(waiting: [], isClosed: true) }
            return !state.isClosed
        }
        if isFirst, !process.isDead { last() }
    }

    /// Does what is due.
    func serve() {
        while !process.isDead {
            let now = process.cluster.now
            let work = state.withLock { state in
                state.waiting.first.map { $0.at <= now } ?? false ? state.waiting.removeFirst().work : nil
            }
            guard let work else { return }
            work()
        }
    }
}
