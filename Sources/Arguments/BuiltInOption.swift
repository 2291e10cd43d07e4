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
