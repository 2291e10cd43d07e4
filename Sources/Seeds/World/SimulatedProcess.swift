import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import Synchronization

/// A process with one stream thread, its ports and its clock.
final class SimulatedProcess {
    let name: String
    let clientId: String
    let ports: MemoryProcess
    /// True while one of its iterations runs.
    var isInTurn = false
    let clock: SkewedClock
    let events: ProcessEvents
    private(set) var thread: StreamThread?
    /// How often its thread went each of `StreamStatus.steps`; known when it has ended.
    private(set) var steps: [Int] = []
    /// The process stands still until then.
    var pausedUntil: Instant?
    private let began: Instant

    init(
        _ name: String, ports: MemoryProcess, cluster: any Cluster, clock: SkewedClock, events: ProcessEvents,
        topology: Topology, settings: StreamSettings, partitions: Int32, sourcePartitions: [Int32],
        targets: [TopicPartition: Offset]?, since: Instant
    ) throws(LogError) {
        self.name = name
        began = since
        clientId = "\(settings.applicationId)-\(name)"
        self.ports = ports
        self.clock = clock
        self.events = events
        thread = try StreamThread(
            name: name, cluster: cluster, topology: topology, settings: settings, clock: clock,
            partitions: partitions, sourcePartitions: sourcePartitions, targets: targets,
            background: ports.makeBackground(), observer: events.note)
    }

    /// It has been there, and has not stood still, since then.
    var livesSince: Instant { max(began, ports.resumedAt ?? began) }

    func start() throws(StreamFailure) { try thread?.start() }
    func runOnce() throws(StreamFailure) { try thread?.runOnce() }

    /// Commits, gives its tasks up and leaves the group.
    func close() {
        thread?.close()
        forget()
    }

    /// Ends without a word.
    func die() {
        ports.die()
        forget()
    }

    private func forget() {
        steps = thread?.status.stepCounts ?? []
        thread = nil
    }

    /// See `StreamThread.releaseHeld`.
    func releaseHeld() { thread?.releaseHeld() }

    var status: StreamStatus { thread?.status ?? StreamStatus() }
    var tasks: [StreamStatus.TaskStatus] { thread?.status.tasks ?? [] }
}

/// What wall clocks show that are right: the virtual clock, and the time that has lapsed besides. Any thread.
final class WallClock: Sendable {
    private let clock: ManualClock
    private let state = Mutex(State())

    private struct State {
        var lapsed = ElapsedTime.zero
        var standsAt: Instant?
    }

    init(_ clock: ManualClock) {
        self.clock = clock
    }

    var now: Instant { state.withLock { $0.standsAt ?? clock.now + $0.lapsed } }

    /// Lets a part of the day go by that no deadline sees.
    func lapse(_ seconds: Int64) { state.withLock { $0.lapsed = $0.lapsed + .seconds(seconds) } }

    /// From now on the clock shows the same instant.
    func stop() { state.withLock { $0.standsAt = clock.now + $0.lapsed } }
}

/// The clock of one process: its wall clock may be wrong, and each look at its monotonic one takes a millisecond, so
/// that deadlines come inside one iteration.
final class SkewedClock: StreamClock {
    private let clock: ManualClock
    private let right: WallClock
    private let skew: Mutex<ElapsedTime>

    init(_ clock: ManualClock, _ right: WallClock, skew: ElapsedTime) {
        self.clock = clock
        self.right = right
        self.skew = Mutex(skew)
    }

    func jump(by distance: ElapsedTime) { skew.withLock { $0 = $0 + distance } }
    var ahead: ElapsedTime { skew.withLock { $0 } }
    func setRight() { skew.withLock { $0 = .zero } }
    func pause(_ duration: Duration) { clock.advance(by: duration) }
    func wall() -> Instant { right.now + skew.withLock { $0 } }

    func monotonic() -> Duration {
        clock.advance(by: .milliseconds(1))
        return .milliseconds(clock.now.milliseconds)
    }
}

/// What all processes of a run have told together. Any thread.
final class ToldEvents: Sendable {
    private let state = Mutex(State())

    private struct State {
        var lost: Set<TopicPartition> = []
        /// By task.
        var starts: [Partition: Int] = [:]
    }

    /// Partitions whose position was said not to be gone on from.
    var lost: Set<TopicPartition> { state.withLock { $0.lost } }

    /// How often a task began to run, wherever.
    func starts(of task: Partition) -> Int { state.withLock { $0.starts[task, default: 0] } }

    func note(_ event: StreamEvent) {
        switch event {
        case .positionOutOfRange(let place, _, _), .positionOfOther(let place, _, _, _):
            state.withLock { _ = $0.lost.insert(place) }
        case .running(let task, _): state.withLock { $0.starts[task, default: 0] += 1 }
        default: break
        }
    }
}

/// What a stream thread told its observer.
final class ProcessEvents: Sendable {
    private let digest: EventDigest
    private let name: String
    private let told: ToldEvents
    private let kept = Mutex(Kept())

    struct Kept: Sendable {
        var fenced = 0
        var commits = 0
    }

    init(name: String, digest: EventDigest, _ told: ToldEvents) {
        self.name = name
        self.told = told
        self.digest = digest
    }

    var now: Kept { kept.withLock { $0 } }

    @Sendable func note(_ event: StreamEvent) {
        if let trace = digest.trace { trace("    \(name): \(event)") }
        told.note(event)
        kept.withLock { kept in
            switch event {
            case .committed: kept.commits += 1
            case .producerReplaced(let cause, _): if cause.name == "_FENCED" { kept.fenced += 1 }
            default: break
            }
        }
    }
}
