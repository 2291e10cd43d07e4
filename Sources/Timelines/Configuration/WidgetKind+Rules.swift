/// What a declaration asks of the configurations of its kind, and gives them.
extension WidgetKind {
    /// The family of a configuration that names none: systemMedium as everywhere, or the first that the kind supports.
    package var defaultFamily: WidgetFamily {
        guard let supportedFamilies, !supportedFamilies.contains(.systemMedium) else { return .systemMedium }
        return supportedFamilies.first ?? .systemMedium
    }

    /// - Throws: a problem if the kind does not support the family.
    package func check(_ family: WidgetFamily) throws(ConfigurationProblem) {
        guard let supportedFamilies, !supportedFamilies.contains(family) else { return }
        let names = supportedFamilies.map(\.rawValue).joined(separator: ", ")
        throw ConfigurationProblem(
            key: "family", "must be one that \"\(title)\" supports: \(names); not \(family.rawValue)")
    }

    /// A configuration's own parameters, and the kind's defaults for those that are absent (T8). A declared one that is
    /// null counts as absent. Nothing is checked.
    package func parameters(over own: Parameters) -> Parameters {
        var result = own
        for parameter in parameters where own[parameter.key] ?? .null == .null {
            result[parameter.key] = parameter.defaultValue
        }
        return result
    }

    /// The same as `parameters(over:)`, with checks.
    ///
    /// - Throws: all parameters, by key, that are missing without a default or not of their type.
    package func checkedParameters(over own: Parameters) throws(ConfigurationProblems) -> Parameters {
        let result = parameters(over: own)
        let problems = parameters.flatMap { self.problems(with: result[$0.key], as: $0) }
        if !problems.isEmpty { throw ConfigurationProblems(problems) }
        return result
    }

    private func problems(with value: ParameterValue?, as parameter: Parameter) -> [ConfigurationProblem] {
        let name = "\"\(parameter.title)\" of \"\(title)\""
        let key = "parameters.\(parameter.key)"
        guard let value else {
            let allowed = "\(name) has no default and must be \(parameter.allowed)"
            return [ConfigurationProblem(key: key, "is missing: \(allowed)")]
        }
        return parameter.faults(of: value).map { fault in
            let place = fault.element.map { "\(key)[\($0)]" } ?? key
            return ConfigurationProblem(key: place, "must be \(fault.allowed), not \(fault.found): it is \(name)")
        }
    }
}

extension WidgetKind.Parameter {
    /// A value, or an element of it, that the parameter does not allow.
    package struct Fault: Hashable, Sendable {
        /// The place of the element, from 0 on; `nil` means the value itself.
        package var element: Int?
        /// What is allowed, in words that follow "must be".
        package var allowed: String
        /// What the value is, in words that follow "not".
        package var found: String
    }

    /// Everything that is wrong with a value; in an array that is each element of another type.
    package func faults(of value: ParameterValue) -> [Fault] {
        guard type.allows(value) else { return [Fault(allowed: allowed, found: value.typeWithArticle)] }
        guard case .array(let elements) = value else { return [] }
        return elements.enumerated().filter { !items.type.allows($0.element) }.map {
            Fault(element: $0.offset, allowed: items.type.withArticle, found: $0.element.typeWithArticle)
        }
    }

    /// What is allowed, in words that follow "must be".
    package var allowed: String { type == .array ? "an array of \(items.rawValue)s" : type.withArticle }
}

extension WidgetKind.ItemType {
    fileprivate var type: WidgetKind.ParameterType {
        switch self {
        case .string: .string
        case .number: .number
        case .boolean: .boolean
        }
    }
}

extension WidgetKind.ParameterType {
    fileprivate func allows(_ value: ParameterValue) -> Bool {
        switch (self, value) {
        case (.string, .string), (.number, .number), (.boolean, .bool), (.array, .array): true
        default: false
        }
    }

    /// The type in words that follow "must be".
    fileprivate var withArticle: String { self == .array ? "an array" : "a \(rawValue)" }
}

extension ParameterValue {
    /// The type in words that follow "not".
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
