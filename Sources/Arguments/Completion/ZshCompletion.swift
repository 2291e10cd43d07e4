/// Writes the completion script for zsh: one function per command, in the terms of `_arguments`.
struct ZshCompletion {
    let root: CommandNode

    var script: String {
        """
        #compdef \(root.name)
        # Completes \(root.name) in zsh. To install, in a directory of $fpath:
        #   \(root.name) --generate-completion-script zsh > _\(root.name)

        \(root.all.map(function).joined(separator: "\n\n"))

        if [[ $funcstack[1] == \(root.functionName) ]]; then
            \(root.functionName) "$@"
        else
            compdef \(root.functionName) \(root.name)
        fi
        """
    }

    private func function(of node: CommandNode) -> String {
        node.subcommands.isEmpty ? leaf(node) : branch(node)
    }

    private func leaf(_ node: CommandNode) -> String {
        let many = node.arguments.isEmpty ? node.offeredOptions.filter(\.takesMany) : []
        let rest = many.isEmpty ? arguments(of: node) : ["'*: :->more'"]
        var lines = ["\(node.functionName)() {"]
        if !many.isEmpty { lines += stateVariables }
        lines.append("    _arguments -s -S \\")
        lines.append((node.offeredOptions.map(specification) + rest).map { "        \($0)" }.joined(separator: " \\\n"))
        if !many.isEmpty {
            // An option of _arguments has a fixed number of values, so the later ones come as arguments.
            lines += ["    [[ $state == more ]] || return", "    case ${${(M)words[1,CURRENT-1]:#-*}[-1]} in"]
            lines += many.map { "        \($0.names.joined(separator: "|"))) \(action($0.offered)) ;;" }
            lines.append("    esac")
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    private func branch(_ node: CommandNode) -> String {
        let verbs = node.subcommands.map { ($0.name, $0.configuration.abstract) }
        let help = node.isRoot ? [("help", "Show the help of a subcommand.")] : []
        let descriptions = (verbs + help).map { "                \("\($0.0):\($0.1)".quotedForShell)" }
        // Behind the word help, subcommands come as if it were not there.
        let helpCase = node.isRoot ? ["                help) \(node.functionName) ;;"] : []
        let cases = node.subcommands.map { "                \($0.name)) \($0.functionName) ;;" } + helpCase
        let specifications =
            node.offeredOptions.map(specification) + ["'1: :->subcommand'", "'*:: :->words'"]
        let lines =
            ["\(node.functionName)() {"] + stateVariables
            + [
                "    local -a subcommands",
                "    _arguments -C \\",
                specifications.map { "        \($0)" }.joined(separator: " \\\n"),
                "    case $state in",
                "        subcommand)",
                "            subcommands=(",
            ] + descriptions + [
                "            )",
                "            _describe subcommand subcommands",
                "            ;;",
                "        words)",
                "            case $words[1] in",
            ] + cases + [
                "            esac",
                "            ;;",
                "    esac",
                "}",
            ]
        return lines.joined(separator: "\n")
    }

    private var stateVariables: [String] {
        ["    local context state state_descr line", "    local -A opt_args"]
    }

    private func specification(_ option: OfferedOption) -> String {
        let value = option.takesValue ? ":\(escape(option.valueName, ":")):\(action(option.offered))" : ""
        let repetition = option.isRepeating ? "*" : "(\(option.names.joined(separator: " ")))"
        return option.names.map { name in
            "\(repetition)\(name)\(equals(name, option))[\(escape(option.abstract, "[]:"))]\(value)".quotedForShell
        }
        .joined(separator: " ")
    }

    /// `--name=` lets the value follow after an equals sign or as the next word.
    private func equals(_ name: String, _ option: OfferedOption) -> String {
        option.takesValue && name.hasPrefix("--") ? "=" : ""
    }

    private func arguments(of node: CommandNode) -> [String] {
        node.arguments.enumerated().map { index, argument in
            let place = argument.isRepeating ? "*" : "\(index + 1)"
            let name = argument.valuePlaceholder.dropFirst().dropLast()
            return "\(place):\(name):\(action(argument.offered))".quotedForShell
        }
    }

    private func action(_ kind: CompletionKind) -> String {
        switch kind {
        case .default: " "
        case .list(let values): "(\(values.map { escape($0, ": ()") }.joined(separator: " ")))"
        case .file(let extensions) where extensions.isEmpty: "_files"
        case .file(let extensions): "_files -g \"*.(\(extensions.joined(separator: "|")))\""
        case .directory: "_files -/"
        }
    }

    private func escape(_ text: String, _ characters: String) -> String {
        text.map { characters.contains($0) || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
    }
}
