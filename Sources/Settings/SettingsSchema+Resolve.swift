extension SettingsSchema {
    /// Gives the last word on a misspelt one: the nearest of the candidates, or `nil` where none is near.
    package typealias Suggest = (_ word: String, _ candidates: [String]) -> String?

    /// Returns why a setting under a free prefix cannot be used; `nil` if it can.
    package typealias FreeCheck = (_ key: String, _ text: String) -> String?

    /// Puts the sources on top of each other and checks everything that they say, what is overridden included.
    ///
    /// - Throws: All problems at once.
    package func resolve(
        _ sources: SettingsSources, suggest: @escaping Suggest = { _, _ in nil },
        checkFree: @escaping FreeCheck = { _, _ in nil }
    ) throws(SettingsProblems) -> Settings {
        var resolution = Resolution(schema: self, suggest: suggest, checkFree: checkFree)
        // From weak to strong, so that the stronger replaces the weaker.
        let file = sources.file.map { readFile($0, into: &resolution) } ?? []
        let environment = readEnvironment(sources.environment, into: &resolution)
        let flags = readFlags(sources.flags, into: &resolution)
        guard file.isEmpty, environment.isEmpty, flags.isEmpty else {
            throw SettingsProblems(problems: flags + environment + file)
        }
        let settings = resolution.settings
        let broken = rules.filter { !$0.holds(settings) }
        guard broken.isEmpty else {
            throw SettingsProblems(problems: broken.map { $0.problem(in: settings) })
        }
        return settings
    }

    private func readFlags(_ flags: [SettingsSources.Flag], into resolution: inout Resolution) -> [SettingsProblem] {
        flags.flatMap { flag in
            resolution.set(flag.key, to: .text(flag.text), from: .flag(flag.flag))
        }
    }

    private func readEnvironment(
        _ environment: [String: String], into resolution: inout Resolution
    ) -> [SettingsProblem] {
        environment.sorted { $0.key < $1.key }.flatMap { variable, text -> [SettingsProblem] in
            guard variable.hasPrefix(environmentPrefix), !isForeign(variable) else { return [] }
            let source = SettingSource.environment(variable: variable)
            guard let key = key(forVariable: variable) else {
                let suggestion = resolution.suggest(variable, byVariable.keys.sorted())
                return [SettingsProblem(source: source, key: "", reason: .unknown(suggestion: suggestion))]
            }
            return resolution.set(key, to: .text(text), from: source)
        }
    }

    private func readFile(_ file: SettingsSources.File, into resolution: inout Resolution) -> [SettingsProblem] {
        let document = YAMLSettings.read(file) { byName[$0]?.isTree ?? false }
        var problems = document.problems
        for entry in document.entries {
            let source = SettingSource.file(path: file.path, line: entry.line)
            if let value = entry.value {
                problems += resolution.set(entry.key, to: value, from: source)
            } else if !isGroup(entry.key) {
                resolution.unknown(entry.key, from: source).map { problems.append($0) }
            }
        }
        return problems.sorted { $0.source.line < $1.source.line }
    }

    /// True if declared keys, or free ones, lie under `key`: an empty section of the file is no mistake.
    private func isGroup(_ key: String) -> Bool {
        declarations.contains { $0.name.hasPrefix("\(key).") } || prefixes.contains { $0.name == key }
    }
}

/// Settings in the making.
private struct Resolution {
    let schema: SettingsSchema
    let suggest: SettingsSchema.Suggest
    let checkFree: SettingsSchema.FreeCheck
    private var entries: [String: Settings.Entry]
    private var free: [String: Settings.FreeEntry] = [:]

    init(
        schema: SettingsSchema, suggest: @escaping SettingsSchema.Suggest,
        checkFree: @escaping SettingsSchema.FreeCheck
    ) {
        self.schema = schema
        self.suggest = suggest
        self.checkFree = checkFree
        self.entries = schema.byName.mapValues {
            Settings.Entry(value: $0.erasedDefault, text: $0.defaultText, source: .default, isTree: $0.isTree)
        }
    }

    var settings: Settings {
        Settings(entries: entries, free: free, order: schema.declarations.map(\.name))
    }

    /// Sets a key, or says why not.
    mutating func set(_ key: String, to text: SettingText, from source: SettingSource) -> [SettingsProblem] {
        if schema.isFree(key) {
            free[key] = Settings.FreeEntry(value: text, source: source)
            let problem = checkFree(key, "\(text)")
            return problem.map { [SettingsProblem(source: source, key: key, reason: .rule($0))] } ?? []
        }
        guard let declaration = schema.byName[key] else {
            return unknown(key, from: source).map { [$0] } ?? []
        }
        do throws(SettingRefusal) {
            let parsed = try declaration.parse(text)
            entries[key] = Settings.Entry(
                value: parsed.value, text: parsed.text, source: source, isTree: declaration.isTree)
            return []
        } catch {
            return problems(error, of: declaration, text, from: source)
        }
    }

    private func problems(
        _ refusal: SettingRefusal, of declaration: any SettingDeclaration, _ text: SettingText,
        from source: SettingSource
    ) -> [SettingsProblem] {
        let key = declaration.name
        switch refusal {
        case .notAllowed:
            let found = "\(text)"
            let suggestion = Secrets.covers(key) ? nil : suggest(found, declaration.choices)
            let reason = SettingsProblem.Reason.notAllowed(
                found: Secrets.redact(found, of: key), allowed: declaration.allowed, suggestion: suggestion)
            return [SettingsProblem(source: source, key: key, reason: reason)]
        case .inside(let problems):
            return problems.map { line, problem in
                let path = ([key] + problem.path).joined(separator: ".")
                return SettingsProblem(source: source.at(line: line), key: path, reason: .rule(problem.message))
            }
        }
    }

    /// The problem of a key that nobody declared; none where somebody did.
    func unknown(_ key: String, from source: SettingSource) -> SettingsProblem? {
        guard schema.byName[key] == nil else { return nil }
        let suggestion = suggest(key, schema.declarations.map(\.name))
        return SettingsProblem(source: source, key: key, reason: .unknown(suggestion: suggestion))
    }
}

extension SettingsRule {
    fileprivate func problem(in settings: Settings) -> SettingsProblem {
        let sources = keys.map { ($0, settings.source(of: $0) ?? .default) }
        let strongest = sources.min { $0.1.rank < $1.1.rank }
        let (key, source) = strongest ?? (keys[0], .default)
        let values = keys.compactMap { key in settings.scalar(key).map { "\(key) is \($0)" } }
        let found = values.isEmpty ? "" : " (\(values.joined(separator: ", ")))"
        return SettingsProblem(source: source, key: key, reason: .rule(requirement + found))
    }
}

extension Settings {
    /// The value of a key as text for people; `nil` if it has structure, is nothing, or nobody knows the key.
    fileprivate func scalar(_ key: String) -> String? {
        guard let text = entries[key]?.text ?? free[key]?.value.description, !text.isEmpty, text.utf8.count <= 80 else {
            return nil
        }
        return shown(key)
    }
}

extension SettingSource {
    fileprivate var line: Int {
        if case .file(_, let line) = self { line } else { 0 }
    }

    /// Another line of the same file; flags and variables have none.
    fileprivate func at(line: Int) -> SettingSource {
        if case .file(let path, _) = self { .file(path: path, line: line) } else { self }
    }

    /// Strongest first.
    fileprivate var rank: Int {
        switch self {
        case .flag: 0
        case .environment: 1
        case .file: 2
        case .default: 3
        }
    }
}
