import RecordLog
import StreamCore
import Testing

/// A restore is lent records of the changelog some dozens at a time, of several stores.
@Suite("Records of the changelog that are restored together")
struct RestoreRowsTests {
    private let mailbox = Mailbox()
    private let task: StreamTask

    init() {
        task = StreamTask(partition: 0, partitions: 1, topology: TallyProcessor.topology, router: mailbox)
    }

    @Test("count as they do one by one: in their order, across stores, tombstones and formats")
    func rows() throws {
        let entries = [
            ChangelogEntry(store: 1, "a", 1, format: 4), ChangelogEntry(store: 1, "b", 2, format: 4),
            ChangelogEntry(store: 1, "a", 3, format: 4), ChangelogEntry(store: 1, "e", 8, format: 4),
            ChangelogEntry(store: 2, "a", 9, format: 4),
            ChangelogEntry(store: 1, "c", 4), ChangelogEntry(store: 1, "b", nil, format: 4),
            ChangelogEntry(key: [0x80], value: [4]), ChangelogEntry(store: 1, "d", 5, format: 4),
            ChangelogEntry(store: 1, "d", nil, format: 4), ChangelogEntry(store: 1, "d", 6, format: 4),
            ChangelogEntry(store: 1, "c", 7),
        ]
        try restore(entries)
        try task.finishRestore()
        task.advance(to: 10_000)
        #expect(
            counts(of: "a", "b", "c", "d", "e") == ["a=4", "b=1", "c=8", "d=7", "e=9"], "each is counted once more")
    }

    @Test(
        "one that no task wrote ends it, with its own offset",
        arguments: [[], [9, 1], [1 | 0x80, 0x61]] as [[UInt8]])
    func unreadable(key: [UInt8]) {
        let bad = ChangelogEntry(key: key, value: [200, 1])
        let good = ChangelogEntry(store: 1, "a", 1, format: 4)
        let failure = #expect(throws: UnreadableRecord.self) { try restore([good, good, bad, good]) }
        #expect(failure?.offset == 102)
    }

    @Test("a record without a key is passed over")
    func withoutKey() throws {
        let a = ChangelogEntry(store: 1, "a", 1, format: 4)
        try restore([a, nil, ChangelogEntry(store: 1, "b", 2, format: 4)])
        try task.finishRestore()
        task.advance(to: 10_000)
        #expect(counts(of: "a", "b") == ["a=2", "b=3"])
    }

    /// - Parameter entries: `nil` stands for a record without a key. Offsets begin at 100.
    private func restore(_ entries: [ChangelogEntry?]) throws(UnreadableRecord) {
        var buffers: [UnsafeMutableRawBufferPointer] = []
        defer { for buffer in buffers { buffer.deallocate() } }
        func lasting(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
            buffer.copyBytes(from: bytes)
            buffers.append(buffer)
            return UnsafeRawBufferPointer(buffer)
        }
        let records = entries.enumerated().map { index, entry in
            RecordView(
                topic: 0, partition: 0, offset: Offset(100 + Int64(index)), timestamp: 5,
                key: (entry?.key).map(lasting), value: (entry?.value).map(lasting), handle: nil)
        }
        try task.restore(records[...])
    }

    /// What is counted of each key with one record more, as `key=count`.
    private func counts(of keys: String...) -> [String] {
        for key in keys {
            withBytes(of: key) { key in
                task.process(
                    RecordView(topic: 0, partition: 0, offset: 0, timestamp: 5, key: key, value: nil, handle: nil),
                    source: 0)
            }
        }
        task.flush()
        var outputs: [String] = []
        task.context.outputs.forEach { _, key, value in
            outputs.append("\(key.map(text) ?? "")=\(value.map(text) ?? "nil")")
        }
        return outputs
    }
}
