/// What a changelog topic holds of one task after compaction: the last value of each key, in the order of writing.
struct CompactedChangelog {
    private struct Entry {
        var value: [UInt8]
        var sequence: Int
    }

    private var entries: [[UInt8]: Entry] = [:]
    private var written = 0

    mutating func append(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?) {
        written += 1
        entries[Array(key)] = value.map { Entry(value: Array($0), sequence: written) }
    }

    func forEach<Failure: Error>(
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        for (key, entry) in entries.sorted(by: { $0.value.sequence < $1.value.sequence }) {
            let result: Result<Void, Failure> = key.withUnsafeBytes { key in
                entry.value.withUnsafeBytes { value in
                    do throws(Failure) { return .success(try body(key, value)) } catch { return .failure(error) }
                }
            }
            try result.get()
        }
    }
}
