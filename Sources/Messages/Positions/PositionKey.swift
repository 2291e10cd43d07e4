internal import Agendas
package import Positions

/// The key of a record of `timeline.positions`: `readerId/configurationId/deviceId` (M2). Of a device without a name it
/// is `readerId/configurationId`; with an empty last part it is read as the same.
package struct PositionKey: Hashable, Sendable {
    package var reader: ReaderKey
    /// The device; `nil` means the one without a name.
    package var deviceId: String?

    package init(_ reader: ReaderKey, deviceId: String? = nil) {
        self.reader = reader
        self.deviceId = deviceId
    }

    package init(of record: PositionRecord) {
        let reader = ReaderKey(readerId: record.readerId, configurationId: record.configurationId)
        self.init(reader, deviceId: record.deviceId)
    }

    package var text: String { deviceId.map { reader.text + "/" + RecordKeyPart.encoded($0) } ?? reader.text }

    /// Reads the key of a tombstone, which has nothing else to say what it removes.
    ///
    /// - Throws: a problem of the field `key`, which says what is allowed.
    package static func decode(_ bytes: UnsafeRawBufferPointer?) throws(MessageProblem) -> PositionKey {
        let parts = try ReaderKey.parts(
            of: bytes, 2...3, "readerId/configurationId or readerId/configurationId/deviceId")
        return PositionKey(
            ReaderKey(readerId: parts[0], configurationId: parts[1]),
            deviceId: parts.count == 3 && !parts[2].isEmpty ? parts[2] : nil)
    }
}

/// The key of a record of `timeline.positions.merged`: `readerId/configurationId` (M2).
package struct ReaderKey: Hashable, Sendable {
    package var readerId: String
    package var configurationId: String

    package init(readerId: String, configurationId: String) {
        self.readerId = readerId
        self.configurationId = configurationId
    }

    package var text: String { RecordKeyPart.encoded(readerId) + "/" + RecordKeyPart.encoded(configurationId) }

    /// Reads the key of a record.
    ///
    /// - Throws: a problem of the field `key`, which says what is allowed.
    package static func decode(_ bytes: UnsafeRawBufferPointer?) throws(MessageProblem) -> ReaderKey {
        let parts = try parts(of: bytes, 2...2, "readerId/configurationId")
        return ReaderKey(readerId: parts[0], configurationId: parts[1])
    }

    fileprivate static func parts(
        of bytes: UnsafeRawBufferPointer?, _ count: ClosedRange<Int>, _ allowed: String
    ) throws(MessageProblem) -> [String] {
        guard let bytes else { throw .missing("key") }
        let parts = RecordKeyPart.parts(of: String(decoding: bytes, as: UTF8.self))
        let decoded = parts.compactMap { RecordKeyPart.decoded($0) }
        guard count ~= parts.count, decoded.count == parts.count, !decoded[0].isEmpty, !decoded[1].isEmpty,
            String(validating: bytes, as: UTF8.self) != nil
        else { throw .notAllowed("key", "\(allowed) in UTF-8, % and / inside a part as %25 and %2F") }
        return decoded
    }
}
