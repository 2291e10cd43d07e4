/// What a declaration asks of the configurations of its kind, and gives them.
extension WidgetKind {
    /// The family of a configuration that names none: systemMedium as everywhere, or the first that the kind supports.
    package var defaultFamily: WidgetFamily {
        guard let supportedFamilies, !supportedFamilies.contains(.systemMedium) else { return .systemMedium }
        return supportedFamilies.first ?? .systemMedium
    }

    /// - Throws: where the kind does not support the family.
    package func check(_ family: WidgetFamily) throws(ConfigurationProblem) {
        guard let supportedFamilies, !supportedFamilies.contains(family) else { return }
        let names = supportedFamilies.map(\.rawValue).joined(separator: ", ")
        throw ConfigurationProblem(
            key: "family", "must be one that \"\(title)\" supports: \(names); not \(family.rawValue)")
    }

    /// A configuration's own parameters over the kind's defaults (STRATEGIES.md 1.8); a declared one that is null
    /// counts as absent. Nothing is checked.
    package func parameters(over own: Parameters) -> Parameters {
        var result = own
        for parameter in parameters where own[parameter.key] ?? .null == .null {
            result[parameter.key] = parameter.defaultValue
        }
        return result
    }

    /// The same, checked.
    ///
    /// - Throws: all, by key, that are missing without a default or not of their type.
    package func checkedParameters(over own: Parameters) throws(ConfigurationProblems) -> Parameters {
        let result = parameters(over: own)
        let problems = parameters.compactMap { problem(with: result[$0.key], as: $0) }
        if !problems.isEmpty { throw ConfigurationProblems(problems) }
        return result
    }

    private func problem(with value: ParameterValue?, as parameter: Parameter) -> ConfigurationProblem? {
        let name = "\"\(parameter.title)\" of \"\(title)\""
        let key = "parameters.\(parameter.key)"
        guard let value else {
            return ConfigurationProblem(
                key: key, "is missing: \(name) has no default and must be \(parameter.type.withArticle)")
        }
        if parameter.type.allows(value) { return nil }
        return ConfigurationProblem(
            key: key, "must be \(parameter.type.withArticle), not \(value.typeWithArticle): it is \(name)")
    }
}

extension WidgetKind.ParameterType {
    package func allows(_ value: ParameterValue) -> Bool {
        switch (self, value) {
        case (.string, .string), (.number, .number), (.boolean, .bool), (.array, .array): true
        default: false
        }
    }

    /// To follow "must be".
    package var withArticle: String { self == .array ? "an array" : "a \(rawValue)" }
}

extension ParameterValue {
    /// To follow "not".
    package var typeWithArticle: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
