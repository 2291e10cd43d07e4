extension ParsableCommand {
    /// What is wrong with the declarations of `Self` and all commands below it: what the help lacks, names that clash,
    /// and examples that do not parse. A program's tests expect none.
    package static func declarationProblems() -> [String] {
        let root = CommandNode(Self.self)
        return root.all.flatMap { node in
            (helpProblems(of: node) + nameProblems(of: node) + structureProblems(of: node)
                + exampleProblems(of: node, root: root)).map { "\(node.commandLine): \($0)" }
        }
    }

    private static func helpProblems(of node: CommandNode) -> [String] {
        var problems: [String] = []
        if node.configuration.abstract.isEmpty { problems.append("no abstract") }
        if node.configuration.examples.isEmpty { problems.append("no example") }
        problems += node.definitions.filter { $0.help.abstract.isEmpty }.map { "\($0.usage) has no help" }
        return problems
    }

    private static func nameProblems(of node: CommandNode) -> [String] {
        let names =
            node.definitions.flatMap { $0.names + $0.offNames } + node.builtInOptions.flatMap(\.names)
            + node.subcommands.map(\.name)
        var seen: Set<String> = []
        return names.compactMap { seen.insert($0).inserted ? nil : "\($0) is declared twice" }
    }

    private static func structureProblems(of node: CommandNode) -> [String] {
        var problems = node.type.unwrappedProperties.map { "\($0) has no wrapper" }
        if !node.subcommands.isEmpty, !node.definitions.isEmpty {
            problems.append("a command with subcommands has options or arguments of its own")
        }
        if node.arguments.dropLast().contains(where: \.isRepeating) {
            problems.append("an argument follows a repeating one")
        }
        if let optional = node.arguments.firstIndex(where: { !$0.isRequired }),
            node.arguments[optional...].contains(where: \.isRequired)
        {
            problems.append("a required argument follows an optional one")
        }
        return problems
    }

    private static func exampleProblems(of node: CommandNode, root: CommandNode) -> [String] {
        // A command that cannot be parsed at all is told above.
        guard root.all.allSatisfy({ $0.type.unwrappedProperties.isEmpty }) else { return [] }
        return node.configuration.examples.flatMap { example -> [String] in
            let commands = ShellWords.commands(of: example.line).filter { $0.first == root.name }
            guard commands.contains(where: { $0.starts(with: node.path) }) else {
                return ["the example '\(example.line)' does not call it"]
            }
            return commands.compactMap { words in
                do throws(CommandExit) {
                    _ = try CommandParser(root: root, columns: 80).parse(Array(words.dropFirst()))
                    return nil
                } catch {
                    guard case .usage(let message, _) = error else { return nil }
                    return "the example '\(example.line)' is wrong: \(message)"
                }
            }
        }
    }
}
