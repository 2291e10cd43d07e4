import RecordLog
import StreamRuntime
import Synchronization

/// What a stream thread told its observer.
final class EventLog: Sendable {
    private let events = Mutex<[StreamEvent]>([])

    @Sendable func note(_ event: StreamEvent) { events.withLock { $0.append(event) } }

    var all: [StreamEvent] { events.withLock { $0 } }

    /// As texts, e.g. `assigned([0, 1])`.
    var texts: [String] { events.withLock { $0.map { "\($0)" } } }

    /// What the member has and runs, by what it said.
    var runningTasks: Set<Partition> {
        events.withLock { events in
            events.reduce(into: []) { tasks, event in
                switch event {
                case .running(let task, _): tasks.insert(task)
                case .restoring(let task, _): tasks.remove(task)
                case .revoked(let partitions), .lost(let partitions): tasks.subtract(partitions)
                default: break
                }
            }
        }
    }

    func count(_ prefix: String) -> Int { texts.count { $0.hasPrefix(prefix) } }
    func has(_ prefix: String) -> Bool { count(prefix) > 0 }
}
