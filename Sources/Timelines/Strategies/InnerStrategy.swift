/// A strategy within another one.
package struct InnerStrategy: Hashable, Sendable {
    package let strategy: any ConfigurableStrategy

    init(_ strategy: any ConfigurableStrategy) {
        self.strategy = strategy
    }

    /// A strategy with its defaults.
    ///
    /// - Precondition: It has no option that has to be there.
    init(_ type: any ConfigurableStrategy.Type) {
        do throws(ConfigurationProblem) {
            strategy = try type.init(options: StrategyOptions())
        } catch {
            preconditionFailure("\(type.name) cannot do without \(error.key)")
        }
    }

    /// Its draft for a request of the strategy around it; `offlineAfter` counts where it has no such option itself.
    func draft(for request: TimelineRequest, offlineAfter: ElapsedTime) -> TimelineDraft {
        var own = request
        own.configuration.strategy = strategy
        own.offlineAfterFallback = offlineAfter
        var draft = strategy.draft(for: own)
        // What ticks show is this strategy's to say, not that of the one around it.
        let (make, present) = (draft.entry, Present(of: own, in: own.calendar))
        draft.entry = { make($0) ?? present.tick(at: $0.date) }
        return draft
    }

    package static func == (left: Self, right: Self) -> Bool {
        AnyHashable(left.strategy) == AnyHashable(right.strategy)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(AnyHashable(strategy))
    }
}

extension OptionForm<InnerStrategy> {
    /// A strategy's name, or an object `{name, …options}`; not `withRetry`, which does not nest.
    static var innerStrategy: Self {
        let allowed = "a strategy's name other than \(WithRetryStrategy.name), or an object {name, …options}"
        return OptionForm(
            allowed: allowed, schema: .reference(to: "plainStrategy"),
            readPart: { value, path throws(ConfigurationProblems) in
                let choice: StrategyChoice
                do throws(ConfigurationProblem) {
                    choice = try StrategyChoice(value, path: path)
                } catch {
                    throw ConfigurationProblems(error)
                }
                guard choice.name != WithRetryStrategy.name else {
                    throw .init(.init(key: path, "must be another strategy: \(WithRetryStrategy.name) does not nest"))
                }
                return InnerStrategy(
                    try TimelineStrategies.strategy(named: choice.name, options: choice.options, path: path))
            },
            write: { .object(Parameters([.init(key: "name", value: .string(type(of: $0.strategy).name))])) })
    }
}
