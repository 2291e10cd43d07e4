/// Finds the verb of a command line and has its words read.
struct CommandParser {
    let root: CommandNode
    /// Width of help.
    let columns: Int

    init(root: CommandNode, columns: Int) {
        self.root = root
        self.columns = columns
    }

    func parse(_ words: [String]) throws(CommandExit) -> any ParsableCommand {
        var node = root
        var rest = words[...]
        while !node.subcommands.isEmpty {
            guard let word = rest.popFirst() else {
                throw .usage(message: "Missing subcommand.", hint: HelpPage(node, columns: columns).text)
            }
            if node.isRoot, word == "help" {
                throw help(for: rest)
            }
            if let exit = builtIn(word, rest: rest, at: node) { throw exit }
            guard let next = node.subcommand(word) else { throw unknown(word, at: node) }
            node = next
        }
        return try command(node, rest)
    }

    private func command(_ node: CommandNode, _ words: ArraySlice<String>) throws(CommandExit) -> any ParsableCommand {
        // Help is wanted whatever else is wrong.
        for (index, word) in zip(words.indices, words.prefix { $0 != "--" }) {
            if let exit = builtIn(word, rest: words[(index + 1)...], at: node) { throw exit }
        }
        do throws(UsageProblem) {
            var reader = ArgumentReader(node.definitions)
            try reader.read(words)
            let decoder = ArgumentDecoder(values: try reader.values(), path: [])
            let command = decode(node.type, from: decoder)
            do throws(ValidationError) {
                try command.validateAll()
            } catch {
                throw UsageProblem(error.description)
            }
            return command
        } catch {
            throw usage(error.message, at: node)
        }
    }

    private func decode<Command: ParsableCommand>(_ type: Command.Type, from decoder: ArgumentDecoder) -> Command {
        do {
            return try Command(from: decoder)
        } catch {
            preconditionFailure("\(Command.self) has a property without a wrapper: \(error)")
        }
    }

    // MARK: - Exits

    private func help(for path: ArraySlice<String>) -> CommandExit {
        var node = root
        for word in path {
            guard let next = node.subcommand(word) else { return unknown(word, at: node) }
            node = next
        }
        return .clean(HelpPage(node, columns: columns).text)
    }

    /// What the module's own options ask for; `nil` for any other word, and for a name that the command itself
    /// declares.
    private func builtIn(_ word: String, rest: ArraySlice<String>, at node: CommandNode) -> CommandExit? {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let name = parts.first, !node.definitions.contains(where: { $0.names.contains(name) }),
            let option = node.builtInOptions.first(where: { $0.names.contains(name) })
        else { return nil }
        switch option.kind {
        case .help:
            return .clean(HelpPage(node, columns: columns).text)
        case .version:
            return .clean(node.configuration.version)
        case .completion:
            let value = parts.count > 1 ? parts[1] : rest.first ?? ""
            if let shell = CompletionShell(rawValue: value) { return .clean(shell.script(for: root)) }
            let problem = UsageProblem.invalid(
                value, for: "\(name) <shell>", reason: CompletionShell.allowedDescription.map { "allowed is \($0)" },
                candidates: option.allowedValues)
            return usage(problem.message, at: node)
        }
    }

    private func unknown(_ word: String, at node: CommandNode) -> CommandExit {
        guard word.hasPrefix("-") else {
            let names = node.subcommands.map(\.name)
            return usage(
                "Unknown subcommand '\(word)'.\(UsageProblem.question(word, names, else: names))", at: node)
        }
        let own = node.builtInOptions.flatMap(\.names)
        let name = String(word.prefix { $0 != "=" })
        let isOfSubcommand = node.all.contains { $0.definitions.contains { $0.names.contains(name) } }
        let advice = isOfSubcommand ? " It belongs after the subcommand." : UsageProblem.question(name, own)
        return usage("Unknown option '\(name)' before the subcommand.\(advice)", at: node)
    }

    private func usage(_ message: String, at node: CommandNode) -> CommandExit {
        let lines = TextWrapping.wrap("Usage: \(node.usage)", columns: columns, indent: 7, firstIndent: 0)
        return .usage(
            message: message, hint: "\(lines)\n  See '\(node.commandLine) --help' for more information.")
    }
}
