/// What a command is called, what it is for, and which commands lie below it.
package struct CommandConfiguration: Sendable {
    /// The word to type; by default the type's name in lower case with hyphens.
    package var commandName: String?
    /// One sentence.
    package var abstract: String
    /// More, as paragraphs with an empty line between.
    package var discussion: String
    /// Printed for `--version`; counts at the root only.
    package var version: String
    package var examples: [CommandExample]
    package var subcommands: [any ParsableCommand.Type]

    package init(
        commandName: String? = nil, abstract: String = "", discussion: String = "", version: String = "",
        examples: [CommandExample] = [], subcommands: [any ParsableCommand.Type] = []
    ) {
        self.commandName = commandName
        self.abstract = abstract
        self.discussion = discussion
        self.version = version
        self.examples = examples
        self.subcommands = subcommands
    }
}

/// A command line to copy, and what it does.
package struct CommandExample: Equatable, Sendable {
    /// As it is typed in a shell, program name included.
    package let line: String
    package let explanation: String

    package init(_ line: String, _ explanation: String) {
        self.line = line
        self.explanation = explanation
    }
}

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
