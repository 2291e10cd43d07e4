/// The registry of strategies: the one place that names them all.
package enum TimelineStrategies {
    package static let all: [any TimelineStrategy.Type] = [
        StatusStrategy.self,
        EventsStrategy.self,
    ]

    /// The strategy of this name with these options.
    ///
    /// - Throws: what is wrong: the name (key `strategy`), an option, or a key that the strategy does not have.
    package static func strategy(
        named name: String, options: Parameters = Parameters()
    ) throws(ConfigurationProblem) -> any TimelineStrategy {
        guard let type = all.first(where: { $0.name == name }) else {
            let names = all.map { $0.name }
            let nearest = nearestName(to: name, among: names).map { "; did you mean \($0)?" } ?? ""
            throw ConfigurationProblem(
                key: "strategy",
                "must be one of \(names.joined(separator: ", ")), not \"\(name.prefix(60))\"\(nearest)")
        }
        var reader = StrategyOptions(options)
        let strategy = try type.init(options: &reader)
        try reader.refuseRemaining()
        return strategy
    }
}
