extension Logger {
    /// Names and values that go with a record. Handlers write them in the order of their names.
    package typealias Metadata = [String: MetadataValue]

    /// One value of ``Metadata``: a text, something that describes itself, or a structure of these.
    package enum MetadataValue: Sendable {
        case string(String)
        /// Described only when the record is written. In JSON a number stays a number, and a truth value one.
        case stringConvertible(any CustomStringConvertible & Sendable)
        case dictionary(Metadata)
        case array([MetadataValue])
    }
}

extension Logger.MetadataValue {
    /// A count, or another number whose unit its key names: `lastCommitAgeMs`.
    package static func number(_ value: some BinaryInteger & Sendable) -> Self { .stringConvertible(value) }

    /// The same for a number with a fraction, rounded to three digits of it.
    package static func number(_ value: Double) -> Self { .stringConvertible((value * 1000).rounded() / 1000) }

    /// Whole milliseconds; its key ends with `Ms`.
    package static func milliseconds(_ value: Duration) -> Self {
        .stringConvertible(Int64((value / .milliseconds(1)).rounded(.towardZero)))
    }

    /// A list of numbers.
    package static func numbers(_ values: [some BinaryInteger & Sendable]) -> Self {
        .array(values.map { .number($0) })
    }
}

extension Logger.MetadataValue: CustomStringConvertible {
    package var description: String {
        switch self {
        case .string(let text):
            text
        case .stringConvertible(let value):
            value.description
        case .dictionary(let values):
            "{\(values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))}"
        case .array(let values):
            "[\(values.map(\.description).joined(separator: ", "))]"
        }
    }
}

extension Logger.MetadataValue: Equatable {
    /// Values are equal when they would be written alike.
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.dictionary(let left), .dictionary(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.dictionary, _), (.array, _), (_, .dictionary), (_, .array): false
        default: left.description == right.description
        }
    }
}

extension Logger.MetadataValue: ExpressibleByStringInterpolation {
    package init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension Logger.MetadataValue: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, Logger.MetadataValue)...) {
        self = .dictionary(Logger.Metadata(elements) { _, last in last })
    }
}

extension Logger.MetadataValue: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: Logger.MetadataValue...) {
        self = .array(elements)
    }
}
