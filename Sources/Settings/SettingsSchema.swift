/// All settings that a program knows.
package struct SettingsSchema: Sendable {
    /// The declared keys, in the order of their declaration.
    package let declarations: [any SettingDeclaration]
    package let prefixes: [SettingPrefix]
    /// Relations between settings.
    package let rules: [SettingsRule]

    /// The beginning of the program's variables.
    package let environmentPrefix: String
    /// Variables that begin like the program's but are not settings: names, or beginnings where they end in `_`.
    package let foreignVariables: [String]

    let byName: [String: any SettingDeclaration]
    let byVariable: [String: String]

    /// - Precondition: No name is declared twice or lies under a free prefix, no two share a variable, and every
    ///   default is allowed.
    package init(
        _ declarations: [any SettingDeclaration], prefixes: [SettingPrefix] = [], rules: [SettingsRule] = [],
        environmentPrefix: String = "TIDELINE_", foreignVariables: [String] = []
    ) {
        self.declarations = declarations
        self.prefixes = prefixes
        self.rules = rules
        self.environmentPrefix = environmentPrefix
        self.foreignVariables = foreignVariables
        self.byName = Dictionary(declarations.map { ($0.name, $0) }) { first, _ in
            preconditionFailure("\(first.name) is declared twice")
        }
        self.byVariable = Dictionary(
            declarations.map { (Self.variable(for: $0.name, prefix: environmentPrefix), $0.name) }
        ) { first, second in
            preconditionFailure("\(first) and \(second) share a variable")
        }
        for declaration in declarations {
            precondition(
                !prefixes.contains { $0.covers(declaration.name) }, "\(declaration.name) lies under a free prefix")
            precondition(
                (try? declaration.parse(.text(declaration.defaultText))) != nil,
                "the default of \(declaration.name) is not allowed")
        }
    }

    /// The variable of a declared key: `TIDELINE_COMMIT_INTERVAL` for `commit.interval`.
    package func variable(for key: String) -> String {
        Self.variable(for: key, prefix: environmentPrefix)
    }

    private static func variable(for key: String, prefix: String) -> String {
        prefix + String(key.uppercased().map { $0 == "." || $0 == "-" ? "_" : $0 })
    }

    /// The key that a variable stands for: a declared one, or one under a free prefix, in lower case with dots.
    func key(forVariable variable: String) -> String? {
        if let key = byVariable[variable] { return key }
        let key = String(variable.dropFirst(environmentPrefix.count).lowercased().map { $0 == "_" ? "." : $0 })
        return isFree(key) ? key : nil
    }

    func isFree(_ key: String) -> Bool {
        prefixes.contains { $0.covers(key) }
    }

    func isForeign(_ variable: String) -> Bool {
        foreignVariables.contains { $0.hasSuffix("_") ? variable.hasPrefix($0) : variable == $0 }
    }
}

/// A relation between settings, checked once each is right by itself.
package struct SettingsRule: Sendable {
    /// The keys that it is about; the one set by the strongest source is named in the problem.
    package let keys: [String]
    /// Says what must hold: "commit.interval must be shorter than transaction.timeout".
    package let requirement: String
    package let holds: @Sendable (Settings) -> Bool

    package init(_ requirement: String, keys: [String], holds: @escaping @Sendable (Settings) -> Bool) {
        precondition(!keys.isEmpty, "A rule is about settings.")
        self.keys = keys
        self.requirement = requirement
        self.holds = holds
    }
}
