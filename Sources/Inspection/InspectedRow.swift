package import Messages
package import RecordLog
package import Timelines

/// One thing of a list, as fields with names: a line of JSON, or a row of a table.
package struct InspectedRow: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        package var name: String
        package var value: ParameterValue

        /// The value, secrets masked. The key of a record counts as an id.
        package var masked: ParameterValue {
            if name == "key", case .string(let key) = value { return .string(SecretMask.masked(id: key)) }
            return SecretMask.masked(value, named: name)
        }
    }

    /// The fields in the order of the list. A field that is not known is absent.
    package private(set) var fields: [Field] = []

    package init() {}

    /// The value of a field; `nil` means that the row does not have it.
    package subscript(name: String) -> ParameterValue? { field(name)?.value }

    private func field(_ name: String) -> Field? { fields.first { $0.name == name } }

    package mutating func add(_ name: String, _ value: ParameterValue?) {
        if let value { fields.append(Field(name: name, value: value)) }
    }

    package mutating func add(_ name: String, _ text: String?) { add(name, text.map { .string($0) }) }

    package mutating func add(_ name: String, _ number: (some FixedWidthInteger)?) {
        add(name, number.map { .number("\($0)") })
    }

    package mutating func add(_ name: String, _ instant: Instant?) { add(name, instant?.rfc3339) }

    package mutating func add(_ name: String, _ texts: [String]) { add(name, .array(texts.map { .string($0) })) }

    /// Adds the topic, partition and offset of the record that the row is about.
    package mutating func add(_ place: SourceOffset) {
        add("topic", place.topic)
        add("partition", place.partition)
        add("offset", place.offset)
    }

    /// Writes the row as one JSON object, secrets masked.
    package func write(to json: inout JSONWriter) {
        json.beginObject()
        for field in fields {
            json.key(named: field.name)
            json.value(field.masked)
        }
        json.endObject()
    }

    /// The value of a field in words for a column, secrets masked; empty if the row does not have it.
    package func text(_ name: String) -> String {
        field(name).map { Self.text($0.masked) } ?? ""
    }

    private static func text(_ value: ParameterValue) -> String {
        switch value {
        case .null: ""
        case .bool(let value): value ? "yes" : "no"
        case .number(let text), .string(let text): text
        case .array(let values): values.map(text).joined(separator: ", ")
        case .object(let members): members.members.map { "\($0.key)=\(text($0.value))" }.joined(separator: ", ")
        }
    }
}

extension SourceOffset {
    /// The place of a record: `timelines[2]@17`.
    package var text: String { "\(topic)[\(partition)]@\(offset)" }

    package init(_ topic: String, _ view: RecordView) {
        self.init(topic: topic, partition: view.partition.rawValue, offset: view.offset.rawValue)
    }

    package init(_ record: Record) {
        self.init(topic: record.topic, partition: record.partition.rawValue, offset: record.offset.rawValue)
    }

    /// True if this place is behind the other one: a later record of the same partition.
    package func isBehind(_ other: SourceOffset) -> Bool {
        topic == other.topic && partition == other.partition && offset > other.offset
    }
}

extension String {
    /// The key or value of a record as text; `nil` if it is not UTF-8.
    package init?(utf8 bytes: UnsafeRawBufferPointer?) {
        guard let bytes else { return nil }
        self.init(validating: bytes, as: UTF8.self)
    }
}
