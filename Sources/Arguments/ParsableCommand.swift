/// Options, flags and arguments that are read together.
///
/// `Decodable` and the empty initializer are synthesized; every stored property needs one of the wrappers.
package protocol ParsableArguments: Decodable, Sendable {
    /// The declaration, before anything is parsed.
    init()

    /// Checks what no single option can. Called once everything is parsed.
    func validate() throws(ValidationError)
}

extension ParsableArguments {
    package func validate() throws(ValidationError) {}
}

/// A verb of the command line, or the program itself.
package protocol ParsableCommand: ParsableArguments {
    static var configuration: CommandConfiguration { get }

    /// Does what the command is for. Never called for a command that has subcommands.
    func run() async throws
}

extension ParsableCommand {
    package func run() async throws {
        preconditionFailure("\(Self.self) has nothing to run")
    }

    /// Reads a command line, given without the program's own name, with `Self` as the program.
    ///
    /// - Returns: The command of the innermost verb.
    /// - Throws: ``CommandExit`` where there is something to print instead of a command to run.
    package static func parseAsRoot(_ words: [String], columns: Int = 80) throws(CommandExit) -> any ParsableCommand {
        try CommandParser(root: CommandNode(Self.self), columns: columns).parse(words)
    }

    /// The help of `Self` as the program.
    package static func helpMessage(columns: Int = 80) -> String {
        HelpPage(CommandNode(Self.self), columns: columns).text
    }

    /// The completion script for `Self` as the program.
    package static func completionScript(for shell: CompletionShell) -> String {
        shell.script(for: CommandNode(Self.self))
    }
}

/// Says what is wrong with a combination of arguments.
package struct ValidationError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// What a command line asks for instead of a command: a text to print, and a status to end with.
package enum CommandExit: Error, Equatable {
    /// Help, the version or a completion script was asked for.
    case clean(String)
    /// The command line is wrong. `hint` says how to go on.
    case usage(message: String, hint: String)

    /// 0, or 64 as `EX_USAGE` in sysexits.h.
    package var exitCode: Int32 {
        switch self {
        case .clean: 0
        case .usage: 64
        }
    }

    /// The text, without a line end. A clean exit's belongs on standard output, the other's on standard error.
    package var text: String {
        switch self {
        case .clean(let text): text
        case .usage(let message, let hint): "Error: \(message)\n\(hint)"
        }
    }
}
