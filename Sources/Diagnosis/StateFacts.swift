/// The size of an application's state, as far as its changelog tells.
package struct StateFacts: Hashable, Sendable {
    package var topic: String
    package var tasks: Int32
    /// The offsets that the changelog has: what a restore reads at most. The keys may be fewer.
    package var records: Int64
    /// The mean size of the newest records' keys and values; `nil` if none was read.
    package var recordBytes: Int?
    /// The memory of this machine, or of this container, that is not used.
    package var memoryBytes: Int?

    package init(topic: String, tasks: Int32, records: Int64, recordBytes: Int?, memoryBytes: Int?) {
        self.topic = topic
        self.tasks = tasks
        self.records = records
        self.recordBytes = recordBytes
        self.memoryBytes = memoryBytes
    }

    package var finding: Finding {
        let bytes = recordBytes.map { Int64($0) * records }
        let size = bytes.map { ", some \($0.byteText)" } ?? ""
        let text = "\(records.counted("record")) at most\(size), in \(Int(tasks).counted("task"))"
        guard let bytes, let memoryBytes else { return Finding(.state, topic, .good, text) }
        // In memory a value has its bytes of the changelog, its key, a slot and what is derived of both.
        guard bytes * 2 > Int64(memoryBytes) else {
            return Finding(.state, topic, .good, "\(text); \(memoryBytes.byteText) of memory are free here")
        }
        return Finding(
            .state, topic, .notice, "\(text); only \(memoryBytes.byteText) of memory are free here",
            remedy: "One process alone may not hold it: run more processes, on other machines.")
    }
}
