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

    /// The strategy's draft for a request of the one around it; `offlineAfter` counts if it has no such option itself.
    func draft(for request: TimelineRequest, offlineAfter: ElapsedTime) -> TimelineDraft {
        var own = request
        own.configuration.strategy = strategy
        own.offlineAfterFallback = offlineAfter
        var draft = strategy.draft(for: own)
        // What ticks show is this strategy's to say, not that of the one around it.
        let (make, content) = (draft.entry, TickContent(of: own, in: own.calendar))
        draft.entry = { make($0) ?? content.tick(at: $0.date) }
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

/// A strategy as a configuration, the declaration of a kind or another strategy asks for it: a name, or an object
/// `{name, …options}`.
package struct StrategyChoice: Hashable, Sendable {
    package var name: String
    package var options: Parameters

    package init(_ name: String, options: Parameters = Parameters()) {
        self.name = name
        self.options = options
    }

    /// Reads a name, or an object with a name; `path` is how a reader of the configuration knows the value.
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
