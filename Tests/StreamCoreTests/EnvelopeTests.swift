import RecordLog
import StreamCore
import Testing

@Suite("Exchange records")
struct EnvelopeTests {
    @Test("a message comes back with its node, entity and payload", arguments: ["", "vehicle-1"])
    func message(entity: String) throws {
        let bytes = withBytes(of: entity) { entity in
            withBytes(of: "payload") { Envelope.message(node: 3, NodeMessage(entity: entity, payload: $0)) }
        }
        try bytes.withUnsafeBytes { bytes in
            guard case .message(let node, let message) = try Envelope.read(bytes) else {
                Issue.record("not a message")
                return
            }
            #expect(node == 3)
            #expect(text(message.entity) == entity)
            #expect(text(message.payload) == "payload")
        }
    }

    private static let headers = [Header("a", "1"), Header("a", nil), Header("", [])]

    private static func forwarded(key: [UInt8]?, value: [UInt8]?) -> [UInt8] {
        withOptionalBytes(key) { key in
            withOptionalBytes(value) { value in
                let view = RecordView(
                    topic: 7, partition: 5, offset: 0x100_0000_0000, timestamp: -1, key: key, value: value, handle: nil)
                let origin = Origin(source: 2, partition: 5, offset: 0x100_0000_0000)
                return Envelope.forwarded(InputRecord(origin: origin, view: view), headers: headers)
            }
        }
    }

    private static func withOptionalBytes<Result>(
        _ bytes: [UInt8]?, _ body: (UnsafeRawBufferPointer?) -> Result
    ) -> Result {
        guard let bytes else { return body(nil) }
        return bytes.withUnsafeBytes(body)
    }

    @Test(
        "a forwarded record keeps origin, timestamp, key, value and headers; nothing is not empty",
        arguments: [nil, [], [1, 2]] as [[UInt8]?], [nil, [], [3]] as [[UInt8]?])
    func forwarded(key: [UInt8]?, value: [UInt8]?) throws {
        try Self.forwarded(key: key, value: value).withUnsafeBytes { bytes in
            guard case .forwarded(let record, let headers) = try Envelope.read(bytes) else {
                Issue.record("not a forwarded record")
                return
            }
            #expect(record.origin == Origin(source: 2, partition: 5, offset: 0x100_0000_0000))
            #expect(record.view.partition == 5 && record.view.offset == 0x100_0000_0000)
            #expect(record.timestamp == -1)
            #expect(record.key.map { Array($0) } == key)
            #expect(record.value.map { Array($0) } == value)
            #expect(headers == Self.headers)
        }
    }

    @Test("a forwarded record that ends too early is refused, wherever it ends")
    func truncated() {
        let bytes = Self.forwarded(key: [1], value: [2])
        for count in bytes.indices {
            #expect(throws: CorruptBytes.self, "\(count) of \(bytes.count) bytes") {
                try bytes[..<count].withUnsafeBytes { _ = try Envelope.read($0) }
            }
        }
    }

    @Test("R18: a message of a format with versions says so, and comes back with it", arguments: [3, 4] as [UInt8])
    func versioned(_ format: UInt8) throws {
        let bytes = withBytes(of: "e") { entity in
            withBytes(of: "payload") {
                Envelope.message(node: 3, NodeMessage(entity: entity, payload: $0), format: format)
            }
        }
        #expect(bytes.starts(with: [0x81, format, 3]))
        try bytes.withUnsafeBytes { bytes in
            guard case .message(3, let message) = try Envelope.read(bytes) else {
                Issue.record("not a message")
                return
            }
            #expect(message.format == format && text(message.payload) == "payload")
        }
    }

    @Test(
        "kinds and formats that no release wrote are refused", arguments: [[2, 0, 0], [0x81, 5, 0, 0], [0x82, 3, 0]])
    func unknownKind(_ bytes: [UInt8]) {
        #expect(throws: CorruptBytes.self) { try bytes.withUnsafeBytes { _ = try Envelope.read($0) } }
    }
}
