import Synchronization

/// The health file of several loops: it is touched when all that go on have turned since it was. Any thread.
final class Pulse: Sendable {
    private let file: HealthFile
    private let waitsFor: Mutex<(loops: Set<Int>, awaited: Set<Int>)>

    init(_ file: HealthFile, count: Int) {
        self.file = file
        waitsFor = Mutex((Set(0..<count), Set(0..<count)))
    }

    func beat(_ index: Int) {
        waitsFor.withLock { state in
            state.awaited.remove(index)
            guard state.awaited.isEmpty else { return }
            state.awaited = state.loops
            file.touch()
        }
    }

    /// The loop has ended.
    func end(_ index: Int) {
        waitsFor.withLock { state in
            state.loops.remove(index)
            state.awaited.remove(index)
        }
    }
}

/// The health of a process with several sinks: it is well if all of them are.
struct SinksHealth: HealthSource {
    let sinks: [(name: String, health: SinkMonitoring)]

    func problems(_ check: HealthCheck, now: Duration) -> [HealthProblem] {
        named { $0.problems(check, now: now) }
    }

    func notices(now: Duration) -> [HealthProblem] {
        named { $0.notices(now: now) }
    }

    private func named(_ told: (SinkMonitoring) -> [HealthProblem]) -> [HealthProblem] {
        guard sinks.count > 1 else { return sinks.first.map { told($0.health) } ?? [] }
        return sinks.flatMap { sink in
            told(sink.health).map { HealthProblem($0.part, "sink \(sink.name): \($0.reason)") }
        }
    }
}
