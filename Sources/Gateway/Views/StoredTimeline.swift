package import HTTPServer
import Messages
package import RecordLog
import Timelines

/// The place of a record within its topic.
package struct ViewPlace: Hashable, Sendable {
    package var partition: Partition
    package var offset: Offset

    package init(_ partition: Partition, _ offset: Offset) {
        self.partition = partition
        self.offset = offset
    }
}

/// A timeline in force: the value as it was committed, and what routes look it up by.
package final class StoredTimeline: Sendable {
    package let configurationId: String
    package let kind: String
    package let recipient: String
    package let revision: Int64
    package let generatedAt: Instant
    package let nextUpdate: Instant?
    /// The JSON of the record, byte by byte, without Confluent framing.
    package let value: SharedBytes
    package let place: ViewPlace
    let history: RevisionHistory

    /// Reads a value of the topic `timelines`.
    ///
    /// - Parameter name: gives a text that is shared by all records that have it.
    /// - Throws: if the bytes are not a timeline, as far as routes need it.
    init(
        _ bytes: UnsafeRawBufferPointer, at place: ViewPlace, sharing name: (String) -> String = { $0 }
    ) throws(MessageProblem) {
        let payload = ConfluentFraming.skipped(bytes)
        guard let json = JSONText(validating: payload) else {
            throw MessageProblem(.unreadable, "The message is not valid JSON in UTF-8.")
        }
        let fields = RawFields(json, json.whole)
        configurationId = try fields.text("configurationId")
        kind = name(try fields.text("kind"))
        let recipient = try fields.text("recipient")
        // Its own recipient, as most are, costs no memory.
        self.recipient = recipient.isSameByUTF8(as: configurationId) ? configurationId : name(recipient)
        revision = try fields.integer("revision")
        generatedAt = try fields.instant("generatedAt")
        nextUpdate = fields["nextUpdate"] == nil ? nil : try fields.instant("nextUpdate")
        guard let entries = fields["entries"], !json.elements(of: entries).isEmpty else {
            throw MessageProblem(.notAllowed, field: "entries", "must be a list that is not empty")
        }
        value = SharedBytes(payload)
        self.place = place
        history = RevisionHistory(floor: revision)
    }

    /// The same timeline with another history.
    init(_ timeline: StoredTimeline, history: RevisionHistory) {
        configurationId = timeline.configurationId
        kind = timeline.kind
        recipient = timeline.recipient
        revision = timeline.revision
        generatedAt = timeline.generatedAt
        nextUpdate = timeline.nextUpdate
        value = timeline.value
        place = timeline.place
        self.history = history
    }

    /// The entity tag of the value: `"revision-generatedAt"`, the instant in milliseconds. A timeline that is made
    /// again has the same revision and another tag.
    package var entityTag: String { "\"\(revision)-\(generatedAt.milliseconds)\"" }

    /// Lends the value with the means to find fields in it.
    func withJSON<Result>(_ body: (JSONText) -> Result) -> Result {
        value.withBytes { body(JSONText(valid: $0)) }
    }

    /// True if the timeline was made from that record of a topic or a later one of the same partition.
    package func isMade(from source: RecordPlace) -> Bool {
        withJSON { json in
            guard let sources = json.member("sources", of: json.whole) else { return false }
            return json.elements(of: sources).contains { element in
                let fields = RawFields(json, element)
                return (try? fields.text("topic")) == source.topic
                    && (try? fields.integer("partition")) == Int64(source.partition.rawValue)
                    && ((try? fields.integer("offset")) ?? -1) >= source.offset.rawValue
            }
        }
    }
}

/// The members of an object by name, without values made of them.
struct RawFields {
    private let json: JSONText
    private let members: [(key: String, value: Range<Int>)]

    init(_ json: JSONText, _ place: Range<Int>) {
        self.json = json
        members = json.members(of: place)
    }

    /// The place of a member that is there and not null.
    subscript(name: String) -> Range<Int>? {
        guard let value = members.last(where: { $0.key == name })?.value,
            json.slice(value).first != UInt8(ascii: "n")
        else { return nil }
        return value
    }

    func text(_ name: String) throws(MessageProblem) -> String {
        let place = try require(name)
        // Identifiers may be numbers (M1).
        guard let text = json.text(at: place) ?? json.integer(at: place).map(String.init) else {
            throw MessageProblem(.wrongType, field: name, "must be text")
        }
        return text
    }

    func integer(_ name: String) throws(MessageProblem) -> Int64 {
        guard let integer = json.integer(at: try require(name)) else {
            throw MessageProblem(.wrongType, field: name, "must be a whole number")
        }
        return integer
    }

    func instant(_ name: String) throws(MessageProblem) -> Instant {
        let place = try require(name)
        let text = json.text(at: place) ?? String(decoding: json.slice(place), as: UTF8.self)
        guard let instant = QueryParameters.instant(text) else {
            throw MessageProblem(.notAllowed, field: name, QueryParameters.instantAllowed)
        }
        return instant
    }

    private func require(_ name: String) throws(MessageProblem) -> Range<Int> {
        guard let place = self[name] else { throw MessageProblem(.missing, field: name, "is missing") }
        return place
    }
}
