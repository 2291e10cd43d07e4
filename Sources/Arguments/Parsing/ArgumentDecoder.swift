/// Hands the values of a command line to a command's synthesized initializer, property by property.
struct ArgumentDecoder: Decoder {
    /// By the names of the properties that lead to them.
    let values: [[String]: any Sendable]
    /// The names of the commands that the decoding has reached.
    let path: [String]

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// The value of the property here.
    func value<Value>() -> Value {
        guard let value = values[path] as? Value else {
            preconditionFailure("\(path.joined(separator: ".")) was not parsed")
        }
        return value
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Properties(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw Self.unsupported
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        throw Self.unsupported
    }

    private static var unsupported: DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: "a command has wrapped properties only"))
    }

    private struct Properties<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: ArgumentDecoder

        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { [] }

        func contains(_ key: Key) -> Bool { true }
        func decodeNil(forKey key: Key) -> Bool { false }

        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
            try T(from: ArgumentDecoder(values: decoder.values, path: decoder.path + [key.stringValue]))
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<NestedKey> {
            throw unsupported
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            throw unsupported
        }

        func superDecoder() throws -> any Decoder {
            throw unsupported
        }

        func superDecoder(forKey key: Key) throws -> any Decoder {
            throw unsupported
        }
    }
}
