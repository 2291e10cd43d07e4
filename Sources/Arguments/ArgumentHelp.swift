/// What the help says about an option, flag or argument. A string literal is its abstract.
package struct ArgumentHelp: ExpressibleByStringInterpolation, Equatable, Sendable {
    package var abstract: String
    /// Stands for the value in the help; by default the property's name.
    package var valueName: String?

    package init(_ abstract: String, valueName: String? = nil) {
        self.abstract = abstract
        self.valueName = valueName
    }

    package init(stringLiteral value: String) {
        self.init(value)
    }
}

/// What a shell offers for a value.
package enum CompletionKind: Equatable, Sendable {
    /// The values of an enumeration; nothing for other types.
    case `default`
    case list([String])
    /// Files, where extensions are given only those that have one; and directories, to look into.
    case file(extensions: [String] = [])
    case directory
}

/// How options that may have several values take them.
package enum ArrayParsingStrategy: Equatable, Sendable {
    /// One word for each time the option is written.
    case singleValue
    /// All words up to the next that begins with a hyphen, and the option may be written again.
    case upToNextOption
}
