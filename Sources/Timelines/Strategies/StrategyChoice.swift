/// A strategy as a configuration, the declaration of a kind or another strategy asks for it: a name, or an object
/// `{name, …options}`.
package struct StrategyChoice: Hashable, Sendable {
    package var name: String
    package var options: Parameters

    package init(_ name: String, options: Parameters = Parameters()) {
        self.name = name
        self.options = options
    }

    /// - Parameter path: how a reader of the configuration knows the value.
    package init(_ value: ParameterValue, path: String) throws(ConfigurationProblem) {
        switch value {
        case .string(let name): self.init(name)
        case .object(var members):
            guard let given = members["name"], given != .null else {
                throw ConfigurationProblem(key: "\(path).name", "is missing")
            }
            guard case .string(let name) = given else {
                throw ConfigurationProblem(key: "\(path).name", "must be a strategy's name")
            }
            members["name"] = nil
            self.init(name, options: members)
        default:
            throw ConfigurationProblem(key: path, "must be a strategy's name, or an object {name, …options}")
        }
    }
}
