package import Messages
package import RecordLog
internal import Timelines

/// What operators did with dead letters: the marks of the compacted topic `ID.operations`.
///
/// A mark has the key `dead-letter/TOPIC/PARTITION/OFFSET` and says which record it is about by its fingerprint. So a
/// mark of a topic that was deleted and made again counts for none of the new records.
///
/// Several dead letters may be about one record: each sink sets it aside by itself, and a sink that was killed may do
/// so twice. A mark says where its dead letter came from, so once one of them is replayed, all of them are.
///
/// Only a tombstone takes a mark away. A mark that cannot be read says nothing about its dead letter, which may have
/// gone back: nobody must replay or drop as long as `unreadable` names one.
package struct OperationMarks: ~Copyable {
    package enum Operation: String, CaseIterable, Sendable {
        case replayed, dropped
    }

    /// What became of a dead letter.
    package enum State: Hashable, Sendable {
        case waiting
        case done(Operation, at: Instant)

        package var name: String {
            switch self {
            case .waiting: "waiting"
            case .done(let operation, _): operation.rawValue
            }
        }
    }

    private struct Mark {
        var operation: Operation
        var at: Instant
        var timestamp: Instant
        var hash: String
        /// The record that went back; `nil` if none did.
        var returned: Source?
    }

    /// The record that a dead letter is about: its place before it was set aside, and its content. A record that was
    /// put back and set aside again has another place.
    package struct Source: Hashable, Sendable {
        fileprivate var from: String
        fileprivate var hash: String
    }

    /// A mark that cannot be read.
    package struct Unreadable: Hashable, Sendable {
        package var key: String
        package var place: SourceOffset
    }

    /// A mark as an operator names it.
    package struct Named: Hashable, Sendable {
        /// The key as it lies in the topic.
        package var key: [UInt8]
        /// The key as text.
        package var name: String
        /// The operation and its instant, or that it cannot be read.
        package var text: String
    }

    private var marks: [[UInt8]: Mark] = [:]
    /// The keys of the marks that say of a record that it went back.
    private var returns: [Source: Set<[UInt8]>] = [:]
    private var unreadablePlaces: [[UInt8]: SourceOffset] = [:]
    private var parser = JSONParser()

    package init() {}

    /// The name of the topic of an application.
    package static func topic(of application: String) -> String { "\(application).operations" }

    /// The settings of the topic, which has one partition.
    package static let settings = [NewTopic.Setting("cleanup.policy", "compact")]

    /// Takes a record of the topic of operations. A record of another operation is passed over.
    package mutating func apply(_ view: RecordView, of topic: String) {
        guard let key = view.key.map({ Array($0) }), key.starts(with: "dead-letter/".utf8) else { return }
        let mark = view.value.flatMap { read($0) }
        if let former = marks[key]?.returned { returns[former]?.remove(key) }
        if let returned = mark?.returned { returns[returned, default: []].insert(key) }
        marks[key] = mark
        unreadablePlaces[key] = view.value != nil && mark == nil ? SourceOffset(topic, view) : nil
    }

    /// - Returns: `nil` if the value is no mark.
    private mutating func read(_ value: UnsafeRawBufferPointer) -> Mark? {
        guard let members = try? parser.object(value),
            case .string(let name)? = members["operation"], let operation = Operation(rawValue: name),
            case .string(let at)? = members["at"], let at = Instant(rfc3339: at),
            case .number(let text)? = members["timestamp"], let milliseconds = Int64(text),
            case .string(let hash)? = members["hash"]
        else { return nil }
        var mark = Mark(operation: operation, at: at, timestamp: Instant(milliseconds: milliseconds), hash: hash)
        if operation == .replayed, case .string(let from)? = members["from"] {
            mark.returned = Source(from: from, hash: hash)
        }
        return mark
    }

    /// The newest records of their keys that are no marks, by partition and offset.
    package var unreadable: [Unreadable] {
        unreadablePlaces.map { Unreadable(key: String(decoding: $0.key, as: UTF8.self), place: $0.value) }
            .sorted { ($0.place.partition, $0.place.offset) < ($1.place.partition, $1.place.offset) }
    }

    /// The mark whose key reads so; `nil` if there is none, or its newest record is a tombstone.
    package func mark(named name: String) -> Named? {
        let exact = Array(name.utf8)
        if let mark = marks[exact] {
            return Named(key: exact, name: name, text: "\(mark.operation.rawValue) at \(mark.at.rfc3339)")
        }
        // A key that is no text is named by what is shown of it.
        let key = unreadablePlaces.keys.filter { String(decoding: $0, as: UTF8.self) == name }
            .min { $0.lexicographicallyPrecedes($1) }
        return key.map { Named(key: $0, name: name, text: "cannot be read") }
    }

    /// What became of a dead letter. One whose record went back is replayed, whichever dead letter of that record it
    /// was, and also if this one was dropped.
    package func state(of letter: DeadLetter) -> State {
        if let at = returned(letter) { return .done(.replayed, at: at) }
        guard let mark = marks[Self.key(of: letter)], mark.timestamp == letter.record.timestamp,
            mark.hash == Self.hash(of: letter)
        else { return .waiting }
        return .done(mark.operation, at: mark.at)
    }

    /// When the record of a dead letter went back first; `nil` if it did not.
    private func returned(_ letter: DeadLetter) -> Instant? {
        guard !returns.isEmpty, let source = Self.source(of: letter) else { return nil }
        return returns[source]?.compactMap { marks[$0]?.at }.min()
    }

    /// The record that a dead letter is about; `nil` if its headers do not say where it came from.
    package static func source(of letter: DeadLetter) -> Source? {
        guard let origin = letter.origin else { return nil }
        return Source(from: origin.text, hash: hash(of: letter))
    }

    /// The key of a dead letter's mark.
    package static func key(of letter: DeadLetter) -> [UInt8] {
        Array("dead-letter/\(letter.record.topic)/\(letter.id.text)".utf8)
    }

    /// The value of a mark.
    package static func value(of operation: Operation, on letter: DeadLetter, at now: Instant) -> [UInt8] {
        let text = JSONWriter.object { json in
            json.string("operation", operation.rawValue)
            json.instant("at", now)
            json.integer("timestamp", letter.record.timestamp.milliseconds)
            json.string("hash", hash(of: letter))
            json.string("reason", letter.reason)
            if let origin = letter.origin { json.string("from", origin.text) }
        }
        return Array(text.utf8)
    }

    private static func hash(of letter: DeadLetter) -> String {
        String(Fingerprint(letter.record).hash, radix: 16)
    }
}
