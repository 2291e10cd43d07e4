import Messages
import Pipeline
package import RecordLog
package import StreamCore
import Timelines

/// One task of the pipeline that has all vehicles and widgets, driven as a stream thread drives it: records in
/// portions, then flush, outputs, changelog, commit.
package final class CountedPipeline: MessageRouter {
    private let topics = PipelineSettings().topics
    private var messages: [LocalMessage] = []
    private var nextOffset: Offset = 0
    /// The timelines that were published.
    package private(set) var timelines = 0
    /// The bytes of the changelog.
    package private(set) var stateBytes = 0
    private lazy var task = {
        let task = StreamTask(partition: 0, partitions: 1, topology: .widgets(PipelineSettings()), router: self)
        task.begin()
        task.advance(to: CountedFleet.clock)
        return task
    }()

    package init() {}

    /// Processes records, so many in each transaction.
    package func run(_ records: ArraySlice<CountedRecord>, in portion: Int) {
        var rest = records
        while !rest.isEmpty {
            for record in rest.prefix(portion) { process(record) }
            rest = rest.dropFirst(portion)
            commit()
        }
    }

    private func process(_ record: CountedRecord) {
        record.key.withUnsafeBytes { key in
            record.value.withUnsafeBytes { value in
                let view = RecordView(
                    topic: Int32(record.source), partition: 0, offset: nextOffset, timestamp: CountedFleet.clock,
                    key: key, value: value, handle: nil)
                task.process(view, source: record.source)
            }
        }
        nextOffset = nextOffset.next
        deliver()
    }

    private func commit() {
        repeat {
            repeat { task.flush() } while deliver()
            task.context.outputs.forEach { entry, _, value in
                if entry.topic == topics.timelines, value != nil { timelines += 1 }
            }
            task.context.outputs.removeAll()
            task.captureChangelog { key, value in stateBytes += key.count + (value?.count ?? 0) }
            task.commit()
        } while task.hasMoreToFlush
    }

    /// - Returns: false if there was no message.
    @discardableResult
    private func deliver() -> Bool {
        if messages.isEmpty { return false }
        var index = 0
        while index < messages.count {
            let message = messages[index]
            index += 1
            task.receive(message)
        }
        messages.removeAll(keepingCapacity: true)
        return true
    }

    package func route(_ envelope: [UInt8], key: UnsafeRawBufferPointer, to partition: Partition) {
        preconditionFailure("One task has all vehicles and widgets.")
    }

    package func staysWithin(to partition: Partition) -> Bool { true }

    package func deliver(_ message: LocalMessage, to partition: Partition) { messages.append(message) }
}
