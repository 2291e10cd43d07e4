/// A shell that completion scripts are written for.
package enum CompletionShell: String, CaseIterable, ExpressibleByArgument {
    case bash
    case zsh
    case fish

    /// A script that completes subcommands, options, values of enumerations and files of a program, made from its
    /// declarations alone: it never runs the program.
    func script(for root: CommandNode) -> String {
        switch self {
        case .bash: BashCompletion(root: root).script
        case .zsh: ZshCompletion(root: root).script
        case .fish: FishCompletion(root: root).script
        }
    }
}

/// An option as shells need it, declared or built in.
struct OfferedOption {
    let names: [String]
    let abstract: String
    let takesValue: Bool
    /// True if it takes words up to the next option.
    let takesMany: Bool
    let isRepeating: Bool
    let valueName: String
    let offered: CompletionKind
}

extension CommandNode {
    /// All options of a command, each name's inversion as one of its own.
    var offeredOptions: [OfferedOption] {
        let declared = options.flatMap { definition in
            let option = OfferedOption(
                names: definition.names, abstract: definition.help.abstract, takesValue: !definition.isFlag,
                takesMany: definition.kind == .option(.upToNextOption), isRepeating: definition.isRepeating,
                valueName: String(definition.valuePlaceholder.dropFirst().dropLast()), offered: definition.offered)
            let inversions = definition.offNames.map { name in
                OfferedOption(
                    names: [name], abstract: definition.help.abstract, takesValue: false, takesMany: false,
                    isRepeating: false, valueName: "", offered: .default)
            }
            return [option] + inversions
        }
        let builtIn = builtInOptions.map { option in
            OfferedOption(
                names: option.names, abstract: option.abstract, takesValue: option.valuePlaceholder != nil,
                takesMany: false, isRepeating: false, valueName: "value",
                offered: option.allowedValues.isEmpty ? .default : .list(option.allowedValues))
        }
        return declared + builtIn
    }

    /// The path as the name of a shell function.
    var functionName: String {
        "_" + path.joined(separator: "_").map { $0 == "-" ? "_" : "\($0)" }.joined()
    }
}

extension String {
    /// A text of the program itself as one word of a POSIX shell.
    var quotedForShell: String {
        "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
