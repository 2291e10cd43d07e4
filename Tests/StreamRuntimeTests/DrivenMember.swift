import Foundation
import RecordLog
import StreamCore
import StreamRuntime
import Synchronization
import TestSupport

/// A member of an application on an OS thread of its own, as in a process.
final class DrivenMember: Sendable {
    let name: String
    let events = EventLog()
    private let ports: ObservedCluster
    private let order = Mutex(Order.run)
    private let ended = Mutex<Ended>(Ended())

    private enum Order { case run, leave, crash }

    private struct Ended {
        var failure: StreamFailure?
        var hasEnded = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// - Parameter pause: after each iteration; for a cluster whose polls never wait.
    init(
        _ name: String, cluster: any Cluster, topology: Topology, settings: StreamSettings,
        layout: InternalTopics.Layout, pause: Duration
    ) {
        self.name = name
        ports = ObservedCluster(cluster, keepsCalls: false)
        let thread = Thread { [self] in
            let failure = live(topology, settings, layout, pause)
            let waiting = ended.withLock { ended in
                ended.failure = failure
                ended.hasEnded = true
                return ended.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
        thread.name = "member-\(name)"
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Why it ended by itself; nil: it did not.
    var failure: StreamFailure? { ended.withLock { $0.failure } }

    /// Commits, leaves the group, ends.
    func leave() async throws {
        order.withLock { $0 = .leave }
        await end()
        if let failure { throw failure }
    }

    /// From now on it ends inside its next call of this name, with all that it holds.
    func willCrash(at call: String) {
        ports.die(at: call)
        order.withLock { $0 = .crash }
    }

    func hasCrashed() async { await end() }

    /// As `hasCrashed`, for a thread that must not wait for its turn afterwards.
    func waitUntilCrashed() {
        while !ended.withLock({ $0.hasEnded }) { Thread.sleep(forTimeInterval: 0.005) }
    }

    private func end() async {
        await withCheckedContinuation { continuation in
            let hasEnded = ended.withLock { ended in
                if !ended.hasEnded { ended.waiting.append(continuation) }
                return ended.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    private func live(
        _ topology: Topology, _ settings: StreamSettings, _ layout: InternalTopics.Layout, _ interval: Duration
    ) -> StreamFailure? {
        do {
            let thread = try StreamThread(
                name: name, cluster: ports, topology: topology, settings: settings, clock: SystemClock(),
                partitions: layout.partitions, sourcePartitions: layout.sourcePartitions, observer: events.note)
            defer { if !ports.isDead { thread.close() } }
            try thread.start()
            while order.withLock({ $0 != .leave }) {
                do {
                    try thread.runOnce()
                } catch {
                    if !ports.isDead { throw error }
                }
                if ports.isDead {
                    // Two more: in the first it may give up, in the second its consumer finds out at the latest.
                    for _ in 0..<2 { _ = try? thread.runOnce() }
                    return nil
                }
                if interval > .zero { pause(interval) }
            }
            return nil
        } catch {
            if ports.isDead { return nil }
            return error as? StreamFailure ?? StreamFailure("\(error)")
        }
    }
}

/// The machine's own time.
struct SystemClock: StreamClock {
    func monotonic() -> Duration { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }

    func wall() -> Instant { Instant(milliseconds: Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000)) }
}

/// The machine's own time, for stream threads on a cluster whose polls never wait: an iteration, which looks at the
/// wall clock once, takes two milliseconds.
struct IteratingClock: StreamClock {
    func monotonic() -> Duration { SystemClock().monotonic() }

    func wall() -> Instant {
        pause(.milliseconds(2))
        return SystemClock().wall()
    }
}
