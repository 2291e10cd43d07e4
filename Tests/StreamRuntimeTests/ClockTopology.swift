import RecordLog
import StreamCore
import Synchronization

/// Notes whether its first call of all tells it the time.
final class ClockProcessor: RecordProcessor, ConflatingProcessor, ClockFollower, DerivingProcessor {
    static let node = NodeName<Never>(0, "clock")

    /// The first call of each processor of a topology, in order.
    final class FirstCalls: Sendable {
        private let calls = Mutex<[String]>([])
        var all: [String] { calls.withLock { $0 } }
        func note(_ call: String) { calls.withLock { $0.append(call) } }
    }

    static func topology(_ calls: FirstCalls) -> Topology {
        Topology(
            sources: [.init(topic: "a.in", to: node)], nodes: [.init(node) { ClockProcessor(calls) }], outputs: [])
    }

    private let calls: FirstCalls
    private var wasCalled = false

    init(_ calls: FirstCalls) { self.calls = calls }

    private func note(_ call: String, _ context: TaskContext) {
        if !wasCalled { calls.note("\(call) of \(context.partition)") }
        wasCalled = true
    }

    var stores: [any ChangelogStore] { [] }
    var hasMoreToFlush: Bool { false }

    func process(_ record: InputRecord, _ context: TaskContext) { note("record", context) }
    func flush(_ context: TaskContext) { note("flush", context) }
    func clockWentBack(_ context: TaskContext, _ step: ClockStep) { note("clock", context) }
    func finishRestore(_ context: TaskContext, _ portion: inout Int) -> Bool { true }
    func reverted(_ context: TaskContext) {}
}
