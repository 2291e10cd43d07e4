import Foundation
import RecordLog

/// The form in which sinks that keep JSON keep a position:
/// `{"next": 17, "begun": 17, "cluster": "…", "before": {"offset": 16, …}, "choice": "…"}`.
struct StoredPosition: Codable {
    private var next: Int64
    private var begun: Int64
    private var cluster: String?
    private var before: Before?
    /// Hexadecimal, as the hash.
    private var choice: String?

    init(_ position: SinkPosition) {
        next = position.next.rawValue
        begun = position.begun.rawValue
        cluster = position.cluster
        before = position.before.map { Before($0) }
        choice = position.choice.map { String($0, radix: 16) }
    }

    /// `nil` if somebody changed it: then it counts as none, and everything is written anew, which is harmless.
    var position: SinkPosition? {
        guard next >= 0 else { return nil }
        return SinkPosition(
            next: Offset(next), begun: Offset(begun), cluster: cluster, before: before?.fingerprint,
            choice: choice.flatMap { Int64($0, radix: 16) })
    }

    private struct Before: Codable {
        var offset: Int64
        /// Milliseconds since 1970.
        var timestamp: Int64
        /// Hexadecimal: not every reader of JSON keeps 64 bits.
        var hash: String

        init(_ fingerprint: Fingerprint) {
            offset = fingerprint.offset.rawValue
            timestamp = fingerprint.timestamp.milliseconds
            hash = String(fingerprint.hash, radix: 16)
        }

        /// `nil` if somebody changed it: then nothing is known of the record.
        var fingerprint: Fingerprint? {
            UInt64(hash, radix: 16).map {
                Fingerprint(offset: Offset(offset), timestamp: Instant(milliseconds: timestamp), hash: $0)
            }
        }
    }
}

extension StoredPosition {
    /// `nil` if the bytes are no position.
    init?(json: [UInt8]) {
        guard let position = try? JSONDecoder().decode(Self.self, from: Data(json)) else { return nil }
        self = position
    }

    /// One line of JSON, its members ascending.
    var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        guard let data = try? encoder.encode(self) else {
            preconditionFailure("texts and whole numbers can always be written")
        }
        return Array(data)
    }
}
