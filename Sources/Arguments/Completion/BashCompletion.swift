/// Writes the completion script for bash 4 and newer.
///
/// One function walks the words before the cursor to find the command and the last option, then offers what belongs
/// there.
struct BashCompletion {
    let root: CommandNode

    var script: String {
        let function = root.functionName
        return """
            # Completes \(root.name) in bash. To install:
            #   \(root.name) --generate-completion-script bash > ~/.local/share/bash-completion/completions/\(root.name)

            \(function)_offer() {
                mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
                if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:=] ]]; then
                    compopt -o nospace 2>/dev/null
                fi
            }

            \(function)_files() {
                local extension
                compopt -o filenames 2>/dev/null
                if (($# == 0)); then
                    mapfile -t COMPREPLY < <(compgen -f -- "$current")
                else
                    mapfile -t COMPREPLY < <(
                        compgen -d -- "$current"
                        for extension; do compgen -f -X "!*.$extension" -- "$current"; done
                    )
                fi
            }

            \(function)_directories() {
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -d -- "$current")
            }

            \(function)() {
                local current="${COMP_WORDS[COMP_CWORD]}" path=\(root.name.quotedForShell) option='' count=0 i
                COMPREPLY=()
                # The equals sign of --option=value is a word of its own here.
                if [[ $current == '=' ]]; then current=''; fi
                for ((i = 1; i < COMP_CWORD; i++)); do
                    case "$path ${COMP_WORDS[i]}" in
            \(subcommandCase)
                            path="$path ${COMP_WORDS[i]}"
                            ;;
                        *' -'*)
                            option="${COMP_WORDS[i]}"
                            count=0
                            ;;
                        *' =') ;;
                        *) count=$((count + 1)) ;;
                    esac
                done
                case "$path $option" in
            \(optionCases)
                esac
                case "$path" in
            \(commandCases)
                esac
            }

            complete -F \(function) \(root.name)
            """
    }

    private var subcommandCase: String {
        let paths = root.all.dropFirst().map(\.commandLine.quotedForShell)
        // No word makes this path: a program without subcommands has none to follow.
        return "            \(paths.isEmpty ? "''" : paths.joined(separator: " | ")))"
    }

    private var optionCases: String {
        root.all.flatMap { node in
            node.offeredOptions.filter(\.takesValue).map { option in
                let patterns = option.names.map { "\(node.commandLine) \($0)".quotedForShell }
                return """
                            \(patterns.joined(separator: " | ")))
                                if \(option.takesMany ? "[[ $current != -* ]]" : "((count == 0))"); then
                                    \(offer(option.offered) ?? "# Anything.")
                                    return
                                fi
                                ;;
                    """
            }
        }
        .joined(separator: "\n")
    }

    private var commandCases: String {
        root.all.map { node in
            let options = offer(words: node.offeredOptions.flatMap(\.names))
            guard let others = others(of: node) else {
                return """
                            \(node.commandLine.quotedForShell)) \(options) ;;
                    """
            }
            return """
                        \(node.commandLine.quotedForShell))
                            if [[ $current == -* ]]; then
                                \(options)
                            else
                                \(others)
                            fi
                            ;;
                """
        }
        .joined(separator: "\n")
    }

    /// What is offered where no option is begun: subcommands, or the first argument.
    private func others(of node: CommandNode) -> String? {
        if !node.subcommands.isEmpty {
            return offer(words: node.subcommands.map(\.name) + (node.isRoot ? ["help"] : []))
        }
        return node.arguments.first.flatMap { offer($0.offered) }
    }

    private func offer(_ kind: CompletionKind) -> String? {
        switch kind {
        case .default: nil
        case .list(let values): offer(words: values)
        case .file(let extensions):
            (["\(root.functionName)_files"] + extensions.map(\.quotedForShell)).joined(separator: " ")
        case .directory: "\(root.functionName)_directories"
        }
    }

    private func offer(words: [String]) -> String {
        "\(root.functionName)_offer \(words.joined(separator: " ").quotedForShell)"
    }
}
