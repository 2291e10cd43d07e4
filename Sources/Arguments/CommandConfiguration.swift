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
