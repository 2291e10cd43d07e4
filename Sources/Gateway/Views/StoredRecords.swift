package import HTTPServer
import Messages
package import RecordLog
import Timelines

/// A value of a compacted topic as it was committed.
package struct StoredValue: Sendable {
    /// The JSON of the record, byte by byte, without Confluent framing.
    package let bytes: SharedBytes
    package let place: ViewPlace
    /// The time of the record's producing.
    package let timestamp: Instant

    /// - Throws: if the bytes are not valid JSON.
    init(_ bytes: UnsafeRawBufferPointer, at place: ViewPlace, timestamp: Instant) throws(MessageProblem) {
        let payload = ConfluentFraming.skipped(bytes)
        guard JSONText(validating: payload) != nil else {
            throw MessageProblem(.unreadable, "The message is not valid JSON in UTF-8.")
        }
        self.bytes = SharedBytes(payload)
        self.place = place
        self.timestamp = timestamp
    }
}

/// A configuration in force, by its record's key.
package struct StoredConfiguration: Sendable {
    package let configurationId: String
    /// The recipient that it names; the configuration's id if it names none.
    package let recipient: String
    package let value: StoredValue

    init(_ configurationId: String, _ value: StoredValue, sharing name: (String) -> String = { $0 }) {
        self.configurationId = configurationId
        self.value = value
        recipient = value.bytes.withBytes { bytes in
            let json = JSONText(valid: bytes)
            let named = try? RawFields(json, json.whole).text("recipient")
            guard let named, !named.isEmpty, !named.isSameByUTF8(as: configurationId) else { return configurationId }
            return name(named)
        }
    }
}

/// What is known of a reader's positions in one configuration.
package struct StoredPositions: Sendable {
    package let readerId: String
    package let configurationId: String
    /// The record of `timeline.positions.merged`; `nil` before there is one.
    package internal(set) var merged: StoredValue?
    /// The devices' own records of `timeline.positions`, ascending by device; `nil` stands for no device.
    package internal(set) var devices: [(deviceId: String?, value: StoredValue)]
}

/// A reload that was committed.
package struct StoredReload: Sendable {
    package let recipient: String
    package let kind: String
    package let configurationIds: [String]
    package let issuedAt: Instant
    package let value: SharedBytes
    package let place: ViewPlace
    /// The time of the record's producing.
    package let timestamp: Instant

    init(_ bytes: UnsafeRawBufferPointer, at place: ViewPlace, timestamp: Instant) throws(MessageProblem) {
        let payload = ConfluentFraming.skipped(bytes)
        guard let json = JSONText(validating: payload) else {
            throw MessageProblem(.unreadable, "The message is not valid JSON in UTF-8.")
        }
        let fields = RawFields(json, json.whole)
        recipient = try fields.text("recipient")
        kind = try fields.text("kind")
        issuedAt = try fields.instant("issuedAt")
        configurationIds = (fields["configurationIds"].map { json.elements(of: $0) } ?? []).compactMap {
            json.text(at: $0)
        }
        value = SharedBytes(payload)
        self.place = place
        self.timestamp = timestamp
    }
}
