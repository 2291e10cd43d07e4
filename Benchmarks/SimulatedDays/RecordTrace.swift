package import RecordLog

/// A digest of each reload, key, value and headers, in order per recipient: two days with equal traces told everybody
/// the same, byte for byte.
package final class RecordTrace: DayObserver {
    private var reloads: [String: [UInt64]] = [:]
    private var timelines: [String: UInt64] = [:]
    package private(set) var reloadCount = 0

    package init() {}

    package func timeline(
        key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?, headers: [Header], at: Instant
    ) {
        timelines[String(decoding: key, as: UTF8.self), default: 0].fold(key, value, headers)
    }

    package func reload(key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, headers: [Header], at: Instant) {
        reloadCount += 1
        var digest: UInt64 = 0
        digest.fold(key, value, headers)
        reloads[String(decoding: key, as: UTF8.self), default: []].append(digest)
    }

    package func endInstant(_ at: Instant) {}

    /// How this day differs from another, in words: nothing where it does not.
    package func differences(from other: RecordTrace) -> [String] {
        let recipients = Set(reloads.keys).union(other.reloads.keys).sorted()
        let told: [String] = recipients.compactMap { recipient in
            let (mine, others) = (reloads[recipient] ?? [], other.reloads[recipient] ?? [])
            if mine == others { return nil }
            let first = zip(mine, others).prefix { $0 == $1 }.count
            return "\(recipient): \(mine.count) reloads for \(others.count), the first that differs is \(first + 1)"
        }
        let shown = Set(timelines.keys).union(other.timelines.keys).sorted().filter {
            timelines[$0] != other.timelines[$0]
        }
        return told + shown.map { "\($0): other timelines" }
    }
}

extension UInt64 {
    /// FNV-1a over lengths and bytes.
    fileprivate mutating func fold(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?, _ headers: [Header]
    ) {
        fold(key)
        if let value { fold(value) }
        for header in headers {
            var name = header.name
            name.withUTF8 { fold(UnsafeRawBufferPointer($0)) }
            header.value?.withUnsafeBytes { fold($0) }
        }
    }

    private mutating func fold(_ bytes: UnsafeRawBufferPointer) {
        var hash = self ^ 0xcbf2_9ce4_8422_2325 ^ UInt64(bytes.count)
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        self = hash
    }
}
