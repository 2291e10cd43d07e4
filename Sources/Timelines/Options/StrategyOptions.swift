/// The options of a strategy or a schedule as a configuration gives them. Each is read by its declaration; what nobody
/// declared is refused.
package struct StrategyOptions: Sendable {
    private let given: Parameters
    /// How a reader of the configuration knows this object: `strategy`, `strategy.schedule`.
    package let path: String

    package init(_ given: Parameters = Parameters(), path: String = "strategy") {
        self.given = given
        self.path = path
    }

    /// - Throws: what is wrong: the key as the configuration has it (`strategy.every`), and what is allowed.
    package func read<Value>(_ option: StrategyOption<Value>) throws(ConfigurationProblem) -> Value {
        try option.value(of: given[option.key], path: "\(path).\(option.key)")
    }

    /// - Throws: where there is a key that is none of these.
    func refuseUnknown(besides known: [any OptionDeclaration], of owner: String) throws(ConfigurationProblem) {
        let keys = known.map(\.key)
        guard let unknown = given.members.first(where: { !keys.contains($0.key) })?.key else { return }
        let allowed = keys.isEmpty ? "takes no options" : "has the options \(keys.joined(separator: ", "))"
        let nearest = nearestName(to: unknown, among: keys).map { "; did you mean \($0)?" } ?? ""
        throw ConfigurationProblem(key: "\(path).\(unknown.prefix(60))", "is unknown: \(owner) \(allowed)\(nearest)")
    }
}
