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
        let specifications = node.offeredOptions.map(specification) + arguments(of: node)
        return """
            \(node.functionName)() {
                _arguments -s -S \\
            \(specifications.map { "        \($0)" }.joined(separator: " \\\n"))
            }
            """
    }

    private func branch(_ node: CommandNode) -> String {
        let help = node.isRoot ? [("help", "Show the help of a subcommand.")] : []
        let verbs = node.subcommands.map { ($0.name, $0.configuration.abstract) } + help
        let descriptions = verbs.map { "            \("\($0.0):\($0.1)".quotedForShell)" }
        let cases = node.subcommands.map { "            \($0.name)) \($0.functionName) ;;" }
        let specifications = node.offeredOptions.map { "        \(specification($0))" }
        return """
            \(node.functionName)() {
                local context state state_descr line
                local -A opt_args
                local -a subcommands
                _arguments -C \\
            \(specifications.joined(separator: " \\\n")) \\
                    '1: :->subcommand' \\
                    '*:: :->words'
                case $state in
                    subcommand)
                        subcommands=(
            \(descriptions.joined(separator: "\n"))
                        )
                        _describe subcommand subcommands
                        ;;
                    words)
                        case $words[1] in
            \(cases.joined(separator: "\n"))
                        esac
                        ;;
                esac
            }
            """
    }

    private func specification(_ option: OfferedOption) -> String {
        let description = "[\(escape(option.abstract, "[]:"))]"
        let value = option.takesValue ? ":\(option.takesMany ? "*-*:" : "")\(escape(option.valueName, ":")):\(action(option.offered))" : ""
        let rest = "\(description)\(value)"
        if option.isRepeating {
            return option.names.map { "\("*\($0)\(equals($0, option))\(rest)".quotedForShell)" }.joined(separator: " ")
        }
        let exclusion = "(\(option.names.joined(separator: " ")))"
        return option.names.map { "\("\(exclusion)\($0)\(equals($0, option))\(rest)".quotedForShell)" }
            .joined(separator: " ")
    }

    /// `--name=` lets the value follow after an equals sign or as the next word; with several values the words follow.
    private func equals(_ name: String, _ option: OfferedOption) -> String {
        option.takesValue && !option.takesMany && name.hasPrefix("--") ? "=" : ""
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
