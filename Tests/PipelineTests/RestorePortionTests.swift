import Pipeline
import RecordLog
import StreamCore
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// What follows from a restored state is derived in portions (R17).
    @Suite struct RestorePortionTests {
        /// What a task did after its restore.
        private struct Done: Equatable {
            var nextDue: Instant?
            var letters: [[UInt8]] = []
            var outputs: [String] = []
            var changelog: [String] = []
        }

        private func done(
            _ partition: Partition, portion: Int, _ forms: StoredForms
        ) throws -> (done: Done, calls: Int) {
            let letterBox = LetterBox()
            let topology = Topology.widgets(PipelineSettings())
            let task = StreamTask(partition: partition, partitions: 2, topology: topology, router: letterBox)
            for form in forms.changelog where form.partition == partition {
                try form.key?.withUnsafeBytes { key in
                    try form.value?.withUnsafeBytes { try task.restore(key: key, value: $0) }
                }
            }
            task.advance(to: at("08:21"))
            var calls = 0
            var isDone = false
            while !isDone {
                var left = portion
                isDone = try task.finishRestore(&left)
                calls += 1
            }
            var done = Done(nextDue: task.nextDue)
            for form in forms.exchange where form.partition == partition {
                try form.value?.withUnsafeBytes { try task.receive($0) }
            }
            for time in ["08:22", "12:00", "23:59"] {
                task.advance(to: at(time))
                task.punctuate()
                task.flush()
            }
            done.letters = letterBox.letters
            task.context.outputs.forEach { entry, key, value in
                done.outputs.append("\(entry.topic) \(key.map(Array.init) ?? []) \(value.map(Array.init) ?? [])")
            }
            task.captureChangelog { key, value in
                done.changelog.append("\(Array(key)) \(value.map(Array.init) ?? [])")
            }
            return (done, calls)
        }

        @Test("R17: A task that is derived one slot at a time does what one does that is derived at once")
        func oneByOne() throws {
            let forms = try StoredForms(format: Int(StateFormat.newest))
            for partition in 0..<2 as Range<Partition> {
                let whole = try done(partition, portion: .max, forms)
                let parts = try done(partition, portion: 1, forms)
                #expect(whole.calls == 1 && parts.calls > 10, "\(parts.calls)")
                #expect(whole.done == parts.done)
                #expect(!whole.done.letters.isEmpty && !whole.done.changelog.isEmpty)
            }
        }

        private final class LetterBox: MessageRouter {
            private(set) var letters: [[UInt8]] = []

            func route(_ envelope: [UInt8], key: UnsafeRawBufferPointer, to partition: Partition) {
                letters.append(envelope)
            }
        }
    }
}
