import Foundation
package import RecordLog
package import StreamCore
import Synchronization

/// Runs an application's stream threads, each on an OS thread of its own, until `requestStop`. They share what
/// `SharedPorts` holds.
package final class StreamApplication: Sendable {
    private let stop = Atomic<Bool>(false)
    private let isReleasingHeld = Atomic<Bool>(false)
    private let shared: Mutex<Shared>
    private let ended: DispatchGroup
    private let touch: @Sendable () -> Void

    private struct Shared {
        var statuses: [StreamStatus]
        var progress: CommonProgress
        var failure: StreamFailure?
    }

    /// - Parameters:
    ///   - names: one per thread, random (R4).
    ///   - touch: called while there is progress, each time that all threads have got on since the last time; for a
    ///     health file.
    package init(
        names: [String], cluster: any Cluster, topology: Topology, settings: StreamSettings, clock: any StreamClock,
        layout: InternalTopics.Layout, targets: [TopicPartition: Offset]? = nil,
        touch: @escaping @Sendable () -> Void = {}, observer: @escaping StreamObserver
    ) {
        precondition(!names.isEmpty, "There is a thread.")
        shared = Mutex(
            Shared(
                statuses: Array(repeating: StreamStatus(), count: names.count),
                progress: CommonProgress(threads: names.count)))
        ended = DispatchGroup()
        self.touch = touch
        let instances = names.indices.map { settings.instance(ofThread: $0, of: names.count) }
        let ports: SharedPorts
        do throws(LogError) {
            ports = try SharedPorts(
                cluster, settings: settings,
                clientId: settings.clientId(ofThread: names[0], instance: instances[0]),
                users: names.count, background: BackgroundThread(name: "stream-inquiry"))
        } catch {
            failToStart(error)
            return
        }
        for (index, name) in names.enumerated() {
            ended.enter()
            let thread = Thread { [self] in
                defer { ended.leave() }
                run(index, with: ports) { () throws(LogError) in
                    try StreamThread(
                        name: name, instance: instances[index], cluster: cluster, topology: topology,
                        settings: settings, clock: clock, partitions: layout.partitions,
                        sourcePartitions: layout.sourcePartitions, targets: targets, ports: ports,
                        observer: observer)
                }
            }
            thread.name = "stream-\(index)"
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    /// Asks the threads to commit, leave the group and end. Returns at once; any thread.
    package func requestStop() { stop.store(true, ordering: .relaxed) }

    /// Asks the threads to send what waits for a time that will not come. Returns at once; any thread.
    package func releaseHeld() { isReleasingHeld.store(true, ordering: .relaxed) }

    package var isStopping: Bool { stop.load(ordering: .relaxed) }

    /// Waits for the threads to end. Not on the cooperative pool.
    ///
    /// - Returns: true if all of them have ended.
    package func wait(_ timeout: Duration) -> Bool {
        ended.wait(timeout: .now() + .milliseconds(Int(ElapsedTime(timeout).milliseconds))) == .success
    }

    /// The status of each thread as of its last iterations, at most a tenth of a second old while iterations are short.
    package var statuses: [StreamStatus] { shared.withLock { $0.statuses } }

    /// The failure that ended a thread; `nil` if none ended by itself.
    package var failure: StreamFailure? { shared.withLock { $0.failure } }

    private func run(_ index: Int, with ports: SharedPorts, _ make: () throws(LogError) -> StreamThread) {
        let thread: StreamThread
        do throws(LogError) {
            thread = try make()
        } catch {
            ports.release(nil)
            return failToStart(error)
        }
        drive(thread, index)
    }

    private func failToStart(_ error: LogError) {
        fail(StreamFailure("a stream thread cannot start: \(error)"))
    }

    private func drive(_ thread: StreamThread, _ index: Int) {
        thread.willWait = { [unowned self, unowned thread] in report(thread.status, index) }
        thread.shouldEnd = { [unowned self] in isStopping }
        do throws(StreamFailure) {
            try thread.start()
            var reported: Duration = .zero
            while !stop.load(ordering: .relaxed) {
                if isReleasingHeld.load(ordering: .relaxed) { thread.releaseHeld() }
                try thread.runOnce()
                let now = thread.clock.monotonic()
                if now - reported < thread.reportInterval { continue }
                reported = now
                report(thread.status, index)
                if shared.withLock({ $0.progress.note(thread.lastProgress, of: index) }) { touch() }
            }
        } catch {
            fail(error)
        }
        thread.close()
        report(thread.status, index)
    }

    private func report(_ status: StreamStatus, _ index: Int) {
        shared.withLock { $0.statuses[index] = status }
    }

    /// One thread that cannot go on ends the application: half of it would leave work undone unseen.
    private func fail(_ failure: StreamFailure) {
        shared.withLock { if $0.failure == nil { $0.failure = failure } }
        stop.store(true, ordering: .relaxed)
    }
}

/// Blocks the calling OS thread for at least `duration`, which may be less than a millisecond. Uses no CPU meanwhile.
package func pause(_ duration: Duration) {
    guard duration > .zero else { return }
    // No `timespec`: of which module its members are depends on what the compiler has beside this file, and so does
    // whether it takes an import for theirs.
    let clock = SleepingClock()
    let end = clock.now + duration
    // A signal on the way makes it no shorter.
    while true {
        let left = end - clock.now
        guard left > .zero else { return }
        usleep(UInt32(clamping: Int64((left / .microseconds(1)).rounded(.up))))
    }
}

/// The system's clock, with waits that block the calling OS thread.
package final class SleepingClock: BlockingClock {
    package init() {}

    package var now: Duration { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }

    package func wait(for duration: Duration) { pause(duration) }
}
