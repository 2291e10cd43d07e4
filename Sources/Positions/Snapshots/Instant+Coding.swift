/// Instants, lists and names in Codable values: the form of the project's JSON, without any framework.
extension KeyedDecodingContainer {
    /// An RFC 3339 text, or whole milliseconds since 1970.
    func decodeInstant(forKey key: Key) throws -> Instant {
        if let milliseconds = try? decode(Int64.self, forKey: key) {
            if Instant.writable ~= milliseconds { return Instant(milliseconds: milliseconds) }
        } else if let instant = Instant(rfc3339: try decode(String.self, forKey: key)) {
            return instant
        }
        throw DecodingError.dataCorruptedError(
            forKey: key, in: self,
            debugDescription: "not an instant; allowed are RFC 3339 with an offset and milliseconds since 1970")
    }

    func decodeInstantIfPresent(forKey key: Key) throws -> Instant? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        return try decodeInstant(forKey: key)
    }

    /// A list, which is empty if it is absent.
    func decodeList<Element: Decodable>(forKey key: Key) throws -> [Element] {
        try decodeIfPresent([Element].self, forKey: key) ?? []
    }

    /// A text that is not empty.
    func decodeText(forKey key: Key) throws -> String {
        let text = try decode(String.self, forKey: key)
        guard !text.isEmpty else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "empty; allowed is text of one character or more")
        }
        return text
    }
}

extension KeyedEncodingContainer {
    mutating func encodeInstant(_ instant: Instant, forKey key: Key) throws {
        try encode(instant.rfc3339, forKey: key)
    }

    mutating func encodeInstantIfPresent(_ instant: Instant?, forKey key: Key) throws {
        if let instant { try encodeInstant(instant, forKey: key) }
    }
}

extension Instant {
    /// The nearest instant that RFC 3339 can write.
    var nearestWritable: Instant {
        let range = Instant.writable
        return Instant(milliseconds: min(range.upperBound, max(range.lowerBound, milliseconds)))
    }
}
