package import RecordLog
import Synchronization

/// A process that uses a cluster: its ports live and die together, and its calls are counted.
///
/// A dead process is silent: its calls throw `_DEAD` without any effect, its polls are empty, and the brokers learn of
/// its death by time-outs only. A stopped one sends no heartbeats, and its owner calls none of its ports.
package final class MemoryProcess: Cluster {
    package let name: String
    /// The process's own clock.
    package let clock: ProcessClock
    let cluster: MemoryCluster
    /// Tells members of this process from those of others.
    let serial: Int
    private let life = Mutex(Life())
    private let backgrounds = Mutex<[MemoryBackground]>([])

    private struct Life {
        var calls = 0
        var death: (call: Int, moment: FaultMoment)?
        var isDead = false
        var isStopped = false
        var resumedAt: Instant?
    }

    static let death = LogError(.fatal, name: "_DEAD", "the process has ended")

    init(name: String, serial: Int, cluster: MemoryCluster) {
        self.name = name
        self.serial = serial
        self.cluster = cluster
        clock = ProcessClock(cluster)
    }

    /// Makes a place for the work that one of its threads does not wait for.
    package func makeBackground() -> MemoryBackground {
        let background = MemoryBackground(self)
        backgrounds.withLock { $0.append(background) }
        return background
    }

    /// Does the work that is due beside the threads.
    func serveBackgrounds() {
        for background in backgrounds.withLock({ $0 }) { background.serve() }
    }

    // MARK: - Life

    /// The calls of ports so far, those of a poll's listener included.
    package var calls: Int { life.withLock { $0.calls } }

    package var isDead: Bool { life.withLock { $0.isDead } }
    package var isStopped: Bool { life.withLock { $0.isStopped } }
    /// When it went on after it had been stopped last, by its owner or by a fault in a call; `nil` if it never was.
    package var resumedAt: Instant? { life.withLock { $0.resumedAt } }

    /// The process dies now.
    package func die() {
        let dies = life.withLock { life in
            defer { life.isDead = true }
            return !life.isDead
        }
        guard dies else { return }
        cluster.endProducers(of: serial, process: name)
        cluster.withBroker { broker in
            broker.note(.processCrashed)
            broker.silence(process: serial)
        }
    }

    /// Counts a call.
    ///
    /// - Returns: its number, from one, and whether the process dies before its effect.
    func countCall() -> (number: Int, dies: Bool) {
        life.withLock { life in
            life.calls += 1
            return (life.calls, life.death.map { $0 == (life.calls, .beforeEffect) } ?? false)
        }
    }

    func dies(after call: Int) -> Bool {
        life.withLock { $0.death.map { $0 == (call, .afterEffect) } ?? false }
    }

    /// The process dies in a later call.
    ///
    /// - Parameters:
    ///   - calls: how many calls it makes before; 0 means the next one.
    ///   - moment: whether that call takes effect. A listener runs within the effect of its poll.
    package func die(afterCalls calls: Int, _ moment: FaultMoment) {
        precondition(calls >= 0)
        life.withLock { $0.death = ($0.calls + calls + 1, moment) }
    }

    /// Stops the process, as SIGSTOP does. Its owner calls none of its ports until `resume`.
    package func stop() {
        cluster.note(.processPaused)
        halt()
    }

    /// Lets a stopped process go on, with its memory and its clients as they were.
    package func resume() {
        let now = cluster.now
        life.withLock { life in
            life.isStopped = false
            life.resumedAt = now
        }
        cluster.withBroker { $0.wake(process: serial) }
    }

    /// Stops it without counting that.
    func halt() {
        life.withLock { $0.isStopped = true }
        cluster.withBroker { $0.silence(process: serial) }
    }
}

extension MemoryCluster {
    /// Makes a process. Its name is for reports; two of one name are two processes.
    package func process(_ name: String) -> MemoryProcess {
        MemoryProcess(name: name, serial: withBroker { $0.nextSerial() }, cluster: self)
    }
}
