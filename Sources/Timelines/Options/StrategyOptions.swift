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
        do throws(ConfigurationProblems) {
            return try option.value(of: given[option.key], path: path(to: option.key))
        } catch {
            throw error.first
        }
    }

    /// - Throws: all that is wrong: values that are not allowed, in the order of declaration, then unknown keys.
    func check(_ declared: [any OptionDeclaration], of owner: String) throws(ConfigurationProblems) {
        let problems =
            declared.flatMap { $0.problems(with: given[$0.key], path: path(to: $0.key)) }
            + unknown(besides: declared.map(\.key), of: owner)
        if !problems.isEmpty { throw ConfigurationProblems(problems) }
    }

    private func unknown(besides keys: [String], of owner: String) -> [ConfigurationProblem] {
        given.members.map(\.key).filter { key in !keys.contains { $0.isSameByUTF8(as: key) } }.map { key in
            let allowed = keys.isEmpty ? "takes no options" : "has the options \(keys.joined(separator: ", "))"
            let nearest = nearestName(to: key, among: keys).map { "; did you mean \($0)?" } ?? ""
            return ConfigurationProblem(
                key: path(to: String(key.prefix(60))), "is unknown: \(owner) \(allowed)\(nearest)")
        }
    }

    private func path(to key: String) -> String { "\(path).\(key)" }
}
