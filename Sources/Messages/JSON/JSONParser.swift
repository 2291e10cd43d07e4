internal import CSimdjson
internal import Foundation
package import Timelines

/// Reads JSON; owns the parser and the buffers that it uses again for each message.
///
/// Use one for each thread and keep it: making one allocates, reading allocates only the result.
package struct JSONParser: ~Copyable {
    private let handle: OpaquePointer

    package init() {
        guard let handle = csimdjson_parser_new() else { preconditionFailure("no memory for a JSON parser") }
        self.handle = handle
    }

    deinit {
        csimdjson_parser_free(handle)
    }

    /// Reads an object or an array, no deeper than 128 levels; Confluent framing is skipped. Numbers keep their text.
    /// If a key comes twice, the last one counts.
    ///
    /// - Throws: if the bytes are not one JSON value in UTF-8.
    package mutating func value(_ bytes: UnsafeRawBufferPointer) throws(MessageProblem) -> ParameterValue {
        var nodes = JSONNodes(try document(ConfluentFraming.skipped(bytes)))
        return nodes.next()
    }

    /// Reads an object or an array, as it is, into the parser's memory, where it stays until the next call.
    mutating func document(
        _ payload: UnsafeRawBufferPointer
    ) throws(MessageProblem) -> UnsafeBufferPointer<csimdjson_node> {
        // simdjson takes no null pointer, and an empty buffer may have one.
        guard let start = payload.baseAddress else { throw MessageProblem(.not_json) }
        let document = csimdjson_read_document(handle, start, payload.count)
        guard document.problem == .none else { throw MessageProblem(document.problem) }
        return UnsafeBufferPointer(start: document.nodes, count: document.count)
    }

    /// Reads the members of an object, without what is in their values, into the parser's memory, where they stay until
    /// the next call. All of the text is checked.
    ///
    /// - Returns: `nil` where the quick way reads nothing; `document` knows why, or reads it.
    mutating func members(_ payload: UnsafeRawBufferPointer) -> UnsafeBufferPointer<csimdjson_member>? {
        guard let start = payload.baseAddress else { return nil }
        let read = csimdjson_read_members(handle, start, payload.count)
        return read.is_read ? UnsafeBufferPointer(start: read.members, count: read.count) : nil
    }

    /// Reads an object, as `value(_:)` does.
    ///
    /// - Throws: if the bytes are not one JSON object in UTF-8.
    package mutating func object(_ bytes: UnsafeRawBufferPointer) throws(MessageProblem) -> Parameters {
        guard case .object(let members) = try value(bytes) else { throw MessageProblem(.not_an_object) }
        return members
    }

    /// Reads one telemetry record into the parser's memory, where it stays until the next call.
    mutating func telemetry(
        _ bytes: UnsafeRawBufferPointer
    ) throws(MessageProblem) -> UnsafePointer<csimdjson_telemetry> {
        let payload = ConfluentFraming.skipped(bytes)
        guard let start = payload.baseAddress else { throw MessageProblem(.not_json) }
        let record = csimdjson_read_telemetry(handle, start, payload.count)!
        guard record.pointee.problem == .none else {
            throw MessageProblem(record.pointee.problem, field: record.pointee.problem_field)
        }
        return record
    }
}

/// A document laid flat, read from front to back.
struct JSONNodes {
    private let nodes: UnsafeBufferPointer<csimdjson_node>
    private var position = 0

    init(_ nodes: UnsafeBufferPointer<csimdjson_node>) {
        self.nodes = nodes
    }

    /// The next value with all that is in it.
    mutating func next() -> ParameterValue {
        let node = nodes[position]
        position += 1
        switch node.type {
        case .null: return .null
        case .false: return .bool(false)
        case .true: return .bool(true)
        case .number: return .number(String(node.text))
        case .string: return .string(String(node.text))
        case .array:
            return .array((0..<node.count).map { _ in next() })
        case .object:
            return .object(Parameters((0..<node.count).map { _ in nextMember() }))
        }
    }

    mutating func nextMember() -> Parameters.Member {
        let key = String(nodes[position].text)
        position += 1
        return Parameters.Member(key: key, value: next())
    }

    // MARK: - Looking, without reading

    /// - Returns: how many members follow; `nil` if the next value is no object.
    mutating func beginObject() -> Int? {
        guard nodes[position].type == .object else { return nil }
        position += 1
        return Int(nodes[position - 1].count)
    }

    /// True if the next node, a key or a string, is this text.
    func isAtText(_ text: StaticString) -> Bool {
        let node = nodes[position].text
        return node.length == text.utf8CodeUnitCount && memcmp(node.start, text.utf8Start, node.length) == 0
    }

    /// Skips the next value, or a key. What is added of it tells it apart from every other value.
    mutating func appendNext(to bytes: inout [UInt8]) {
        let node = nodes[position]
        position += 1
        bytes.append(UInt8(truncatingIfNeeded: node.type.rawValue))
        switch node.type {
        case .null, .false, .true: break
        case .number, .string:
            append(count: node.text.length, to: &bytes)
            bytes.append(contentsOf: UnsafeRawBufferPointer(start: node.text.start, count: node.text.length))
        case .array:
            append(count: Int(node.count), to: &bytes)
            for _ in 0..<node.count { appendNext(to: &bytes) }
        case .object:
            append(count: Int(node.count), to: &bytes)
            for _ in 0..<(2 * node.count) { appendNext(to: &bytes) }
        }
    }

    private func append(count: Int, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: count)) { bytes.append(contentsOf: $0) }
    }
}

extension String {
    /// Text that simdjson has checked to be UTF-8.
    init(_ text: csimdjson_text) {
        let bytes = UnsafeRawBufferPointer(start: text.start, count: text.length)
        self.init(decoding: bytes, as: UTF8.self)
    }
}

/// The framing of Confluent's serializers: a zero byte and a 4-byte schema id before the value (M13).
///
/// No JSON and no iCalendar text begins with a zero byte, so the value itself shows whether it carries the framing.
package enum ConfluentFraming {
    private static let length = 5

    /// The value without framing.
    package static func skipped(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard bytes.count >= length, bytes[0] == 0 else { return bytes }
        return UnsafeRawBufferPointer(rebasing: bytes[length...])
    }
}
