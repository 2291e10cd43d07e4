/// The help of one command, wrapped and aligned.
struct HelpPage {
    private struct Row {
        let label: String
        let text: String
    }

    private let node: CommandNode
    private let columns: Int

    /// The column at which the texts begin beside all but very long labels.
    private static let textColumn = 26

    init(_ node: CommandNode, columns: Int) {
        self.node = node
        self.columns = columns
    }

    var text: String {
        let configuration = node.configuration
        var sections: [String] = []
        if !configuration.abstract.isEmpty {
            sections.append(
                TextWrapping.wrap("OVERVIEW: \(configuration.abstract)", columns: columns))
        }
        if !configuration.discussion.isEmpty {
            sections.append(TextWrapping.wrapParagraphs(configuration.discussion, columns: columns))
        }
        sections.append(TextWrapping.wrap("USAGE: \(node.usage)", columns: columns, indent: 7, firstIndent: 0))
        sections += [
            section("ARGUMENTS", node.arguments.map(row)),
            section("OPTIONS", node.options.map(row) + node.builtInOptions.map(row)),
            section("SUBCOMMANDS", node.subcommands.map { Row(label: $0.name, text: $0.configuration.abstract) }),
            examples,
        ].compactMap(\.self)
        if !node.subcommands.isEmpty {
            let program = node.path[0]
            let words = ([program, "help"] + node.path.dropFirst() + ["<subcommand>"]).joined(separator: " ")
            sections.append("  See '\(words)' for detailed help.")
        }
        return sections.joined(separator: "\n\n")
    }

    private func section(_ title: String, _ rows: [Row]) -> String? {
        guard !rows.isEmpty else { return nil }
        let lines = rows.map { row in
            let label = "  \(row.label)"
            guard !row.text.isEmpty else { return label }
            let text = TextWrapping.wrap(row.text, columns: columns, indent: Self.textColumn)
            return label.count + 2 <= Self.textColumn ? label + text.dropFirst(label.count) : "\(label)\n\(text)"
        }
        return "\(title):\n\(lines.joined(separator: "\n"))"
    }

    private func row(_ definition: ArgumentDefinition) -> Row {
        let names = (definition.names + definition.offNames).joined(separator: ", ")
        let value = definition.isFlag ? "" : definition.valuePlaceholder + (definition.isRepeating ? " ..." : "")
        let label = [names, value].filter { !$0.isEmpty }.joined(separator: " ")
        let notes = [
            definition.allowedValues.isEmpty ? nil : "values: \(definition.allowedValues.joined(separator: ", "))",
            definition.defaultDescription.flatMap { $0.isEmpty ? nil : "default: \($0)" },
        ].compactMap(\.self)
        let note = notes.isEmpty ? "" : "(\(notes.joined(separator: "; ")))"
        return Row(label: label, text: [definition.help.abstract, note].filter { !$0.isEmpty }.joined(separator: " "))
    }

    private func row(_ option: BuiltInOption) -> Row {
        let names = option.names.joined(separator: ", ")
        let note = option.allowedValues.isEmpty ? "" : " (values: \(option.allowedValues.joined(separator: ", ")))"
        return Row(
            label: [names, option.valuePlaceholder].compactMap(\.self).joined(separator: " "),
            text: option.abstract + note)
    }

    private var examples: String? {
        let examples = node.configuration.examples
        guard !examples.isEmpty else { return nil }
        let lines = examples.map { example in
            // What is too long stays fit to be pasted.
            let line = TextWrapping.wrap(example.line, columns: columns, indent: 6, firstIndent: 2, continuation: " \\")
            return line + "\n" + TextWrapping.wrap(example.explanation, columns: columns, indent: 6)
        }
        return "EXAMPLES:\n\(lines.joined(separator: "\n"))"
    }
}
