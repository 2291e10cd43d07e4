/// Writes the completion script for fish: one `complete` line per option, each under the condition of its command.
struct FishCompletion {
    let root: CommandNode

    var script: String {
        let name = root.functionName
        let paths = root.all.dropFirst().map(\.commandLine.quotedForFish)
        return """
            # Completes \(root.name) in fish. To install:
            #   \(root.name) --generate-completion-script fish > ~/.config/fish/completions/\(root.name).fish

            # Whether the words before the cursor lead to the command given.
            function _\(name)_at
                set -l path \(root.name.quotedForFish)
                for word in (commandline -opc)[2..-1]
                    if contains -- "$path $word" \(paths.joined(separator: " "))
                        set path "$path $word"
                    end
                end
                test "$path" = "$argv[1]"
            end

            # Whether the option given is the last one before the cursor.
            function _\(name)_after
                set -l options (string match -- '-*' (commandline -opc))
                test (count $options) -gt 0; and contains -- $options[-1] $argv
            end

            # Files with one of the extensions given, and directories.
            function _\(name)_files
                set -l pattern '^.*(?:/|\\.(?:'(string join '|' $argv)'))$'
                complete -C "_\(name)_nothing "(commandline -ct) | string match -r -- $pattern
            end

            complete -c \(root.name) -f
            \(root.all.flatMap(lines).joined(separator: "\n"))
            """
    }

    private func lines(of node: CommandNode) -> [String] {
        let start = "complete -c \(root.name) -n \(condition(node).quotedForFish)"
        let help = node.isRoot && !node.subcommands.isEmpty ? [("help", "Show the help of a subcommand.")] : []
        let verbs = node.subcommands.map { ($0.name, $0.configuration.abstract) }
        var lines = (verbs + help).map { "\(start) -a \($0.0.quotedForFish) -d \($0.1.quotedForFish)" }
        for option in node.offeredOptions {
            let names = option.names.map { $0.hasPrefix("--") ? "-l \($0.dropFirst(2))" : "-s \($0.dropFirst())" }
            let value = option.takesValue ? ["-r"] + offer(option.offered) : []
            lines.append(([start] + names + value + ["-d \(option.abstract.quotedForFish)"]).joined(separator: " "))
            if option.takesMany {
                // fish gives an option one value; the others are offered as arguments.
                let names = option.names.joined(separator: " ")
                let condition = "\(condition(node)); and _\(root.functionName)_after \(names)"
                lines.append(
                    (["complete -c \(root.name) -n \(condition.quotedForFish)"] + offer(option.offered))
                        .joined(separator: " "))
            }
        }
        if let argument = node.arguments.first, argument.offered != .default {
            lines.append(([start] + offer(argument.offered)).joined(separator: " "))
        }
        return lines
    }

    private func condition(_ node: CommandNode) -> String {
        "_\(root.functionName)_at \(node.commandLine.quotedForFish)"
    }

    private func offer(_ kind: CompletionKind) -> [String] {
        switch kind {
        case .default: ["-f"]
        case .list(let values): ["-f", "-a \(values.joined(separator: " ").quotedForFish)"]
        case .file(let extensions) where extensions.isEmpty: ["-F"]
        case .file(let extensions):
            ["-f", "-a \("(_\(root.functionName)_files \(extensions.joined(separator: " ")))".quotedForFish)"]
        case .directory: ["-f", "-a '(__fish_complete_directories)'"]
        }
    }
}

extension String {
    /// The text as one word of fish, whose single quotes know two escapes.
    fileprivate var quotedForFish: String {
        "'" + map { $0 == "'" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "'"
    }
}
