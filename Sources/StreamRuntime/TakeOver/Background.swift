import Foundation
import Synchronization

/// Work that may wait for brokers, done beside the stream threads, one piece after the other: first what is urgent,
/// each in the order in which it came. Any thread may call it.
package protocol Background: AnyObject, Sendable {
    /// Returns at once; the work runs later.
    ///
    /// - Parameter isUrgent: true for work that goes before all that is not.
    func run(isUrgent: Bool, _ work: @escaping @Sendable () -> Void)

    /// What has not begun is not done any more. Work that is under way ends by itself, then `last` runs.
    func close(_ last: @escaping @Sendable () -> Void)
}

/// Does the work within the call: for simulations, where no call waits and one thread decides the order of all. For one
/// stream thread: the work of several would not come one after the other.
package final class InlineBackground: Background {
    package init() {}
    package func run(isUrgent: Bool, _ work: @escaping @Sendable () -> Void) { work() }
    package func close(_ last: @escaping @Sendable () -> Void) { last() }
}

/// Does the work on an OS thread of its own, which ends with `close`.
package final class BackgroundThread: Background {
    private let queue = WorkQueue()

    package init(name: String) {
        let thread = Thread { [queue] in
            while let work = queue.next() { work() }
        }
        thread.name = name
        thread.start()
    }

    deinit { queue.end {} }

    package func run(isUrgent: Bool, _ work: @escaping @Sendable () -> Void) { queue.add(work, isUrgent: isUrgent) }
    package func close(_ last: @escaping @Sendable () -> Void) { queue.end(last) }
}

/// Hands work from one thread to another.
private final class WorkQueue: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        /// So many of those that wait, the first ones, are urgent.
        var urgent = 0
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let count = DispatchSemaphore(value: 0)

    func add(_ work: @escaping @Sendable () -> Void, isUrgent: Bool) {
        state.withLock { state in
            if state.hasEnded { return }
            state.waiting.insert(work, at: isUrgent ? state.urgent : state.waiting.count)
            if isUrgent { state.urgent += 1 }
        }
        count.signal()
    }

    /// Drops what waits, and lets the other thread end after `last`. Only the first call has an effect.
    func end(_ last: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if state.hasEnded { return }
            state.hasEnded = true
            state.waiting = [last]
            state.urgent = 0
        }
        count.signal()
    }

    /// Waits for work; `nil` after the last.
    func next() -> (@Sendable () -> Void)? {
        while true {
            let (work, isOver) = state.withLock { state in
                state.urgent = max(state.urgent - 1, 0)
                return (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.hasEnded)
            }
            if let work { return work }
            if isOver { return nil }
            count.wait()
        }
    }
}
