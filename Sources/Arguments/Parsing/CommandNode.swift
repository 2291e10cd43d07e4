/// A command in its place: the words that lead to it and what is declared there.
struct CommandNode {
    let type: any ParsableCommand.Type
    /// The names of the commands, the program's first.
    let path: [String]
    let definitions: [ArgumentDefinition]
    let subcommands: [CommandNode]

    init(_ type: any ParsableCommand.Type, below parent: [String] = []) {
        self.type = type
        let path = parent + [type.configuration.commandName ?? "\(type)".hyphenated]
        self.path = path
        self.definitions = type.definitions()
        self.subcommands = type.configuration.subcommands.map { CommandNode($0, below: path) }
    }

    var configuration: CommandConfiguration { type.configuration }

    /// The last word of the path.
    var name: String { path[path.count - 1] }

    /// All words of the path, as they are typed.
    var commandLine: String { path.joined(separator: " ") }

    var isRoot: Bool { path.count == 1 }

    var arguments: [ArgumentDefinition] { definitions.filter(\.isArgument) }

    /// Options and flags.
    var options: [ArgumentDefinition] { definitions.filter { !$0.isArgument } }

    func subcommand(_ name: String) -> CommandNode? {
        subcommands.first { $0.name == name }
    }

    /// This command and all below it, parents first.
    var all: [CommandNode] { [self] + subcommands.flatMap(\.all) }

    /// The usage line: required options, then `[options]`, then arguments or the subcommand.
    var usage: String {
        var parts = path
        parts += options.filter(\.isRequired).map(\.usage)
        if !subcommands.isEmpty {
            return (parts + ["<subcommand>"]).joined(separator: " ")
        }
        if options.contains(where: { !$0.isRequired }) { parts.append("[options]") }
        parts += arguments.map { $0.isRequired ? $0.usage : "[\($0.usage)]" }
        return parts.joined(separator: " ")
    }
}

/// An option that the module itself gives to commands.
struct BuiltInOption {
    enum Kind {
        case help, version, completion
    }

    let kind: Kind
    let names: [String]
    let valuePlaceholder: String?
    let abstract: String
    let allowedValues: [String]

    static let help = BuiltInOption(
        kind: .help, names: ["-h", "--help"], valuePlaceholder: nil, abstract: "Show this help.", allowedValues: [])
    static let version = BuiltInOption(
        kind: .version, names: ["--version"], valuePlaceholder: nil, abstract: "Show the version.", allowedValues: [])
    static let completion = BuiltInOption(
        kind: .completion, names: ["--generate-completion-script"], valuePlaceholder: "<shell>",
        abstract: "Print a completion script.", allowedValues: CompletionShell.allCases.map(\.rawValue))
}

extension CommandNode {
    /// Help everywhere, the version and completion at the root.
    var builtInOptions: [BuiltInOption] {
        guard isRoot else { return [.help] }
        return configuration.version.isEmpty ? [.help, .completion] : [.help, .version, .completion]
    }
}
