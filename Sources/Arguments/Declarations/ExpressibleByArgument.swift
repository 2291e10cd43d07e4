/// A type that a word of the command line can stand for.
///
/// Enumerations with text as raw value need no more than to declare it.
package protocol ExpressibleByArgument: Sendable {
    /// `nil` where the word stands for no value.
    init?(argument: String)

    /// How a default is shown in the help.
    var defaultValueDescription: String { get }

    /// All values, where they are few; for help, suggestions and completion.
    static var allValueStrings: [String] { get }

    /// What the word may be; completes the sentence "allowed is …". `nil` where any text is.
    static var allowedDescription: String? { get }
}

extension ExpressibleByArgument {
    package var defaultValueDescription: String { "\(self)" }
    package static var allValueStrings: [String] { [] }
    package static var allowedDescription: String? { nil }
}

extension ExpressibleByArgument where Self: RawRepresentable<String> {
    package init?(argument: String) {
        self.init(rawValue: argument)
    }

    package var defaultValueDescription: String { rawValue }
}

extension ExpressibleByArgument where Self: CaseIterable & RawRepresentable<String> {
    package static var allValueStrings: [String] { allCases.map(\.rawValue) }
    package static var allowedDescription: String? { "one of \(allValueStrings.joined(separator: ", "))" }
}

extension String: ExpressibleByArgument {
    package init?(argument: String) {
        self = argument
    }
}

extension Int: ExpressibleByArgument {
    package init?(argument: String) {
        self.init(argument)
    }

    package static var allowedDescription: String? { "a whole number" }
}

extension UInt64: ExpressibleByArgument {
    package init?(argument: String) {
        self.init(argument)
    }

    package static var allowedDescription: String? { "a whole number from 0" }
}

extension Double: ExpressibleByArgument {
    package init?(argument: String) {
        guard let value = Double(argument), value.isFinite else { return nil }
        self = value
    }

    package static var allowedDescription: String? { "a number" }
}

extension Bool: ExpressibleByArgument {
    package init?(argument: String) {
        self.init(argument)
    }

    package static var allValueStrings: [String] { ["true", "false"] }
    package static var allowedDescription: String? { "true or false" }
}

/// A word of the form `key=value`, for options such as `--set`. The key is not empty; the value may be, and may hold
/// more equals signs.
package struct KeyValueArgument: ExpressibleByArgument, Equatable {
    package let key: String
    package let value: String

    package init(key: String, value: String) {
        self.key = key
        self.value = value
    }

    package init?(argument: String) {
        guard let sign = argument.firstIndex(of: "="), sign != argument.startIndex else { return nil }
        self.init(key: String(argument[..<sign]), value: String(argument[argument.index(after: sign)...]))
    }

    package var defaultValueDescription: String { "\(key)=\(value)" }
    package static var allowedDescription: String? { "KEY=VALUE" }
}
