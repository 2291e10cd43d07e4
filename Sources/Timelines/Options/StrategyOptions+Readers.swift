/// Typed reads. Each takes its key away and throws what is wrong with it: the key as the configuration has it
/// (`strategy.every`), and what is allowed.
extension StrategyOptions {
    /// An ISO 8601 duration within bounds, which are compared with days of 24 hours.
    package mutating func duration(
        _ key: String, default defaultValue: CalendarDuration, in bounds: ClosedRange<Bound> = .interval
    ) throws(ConfigurationProblem) -> CalendarDuration {
        try optionalDuration(key, in: bounds) ?? defaultValue
    }

    /// The same of an option that may be absent.
    package mutating func optionalDuration(
        _ key: String, in bounds: ClosedRange<Bound>
    ) throws(ConfigurationProblem) -> CalendarDuration? {
        guard let value = take(key) else { return nil }
        if case .string(let text) = value, let duration = CalendarDuration(iso8601: text),
            bounds ~= Bound(duration)
        {
            return duration
        }
        let (low, high) = (bounds.lowerBound.duration.iso8601, bounds.upperBound.duration.iso8601)
        throw problem(key, "must be an ISO 8601 duration from \(low) to \(high), such as PT15M", value)
    }

    package mutating func integer(
        _ key: String, default defaultValue: Int, in bounds: ClosedRange<Int>
    ) throws(ConfigurationProblem) -> Int {
        guard let value = take(key) else { return defaultValue }
        if case .number(let text) = value, let number = Int(text) ?? Double(text).flatMap({ Int(exactly: $0) }),
            bounds ~= number
        {
            return number
        }
        throw problem(key, "must be a whole number from \(bounds.lowerBound) to \(bounds.upperBound)", value)
    }

    package mutating func bool(_ key: String, default defaultValue: Bool) throws(ConfigurationProblem) -> Bool {
        guard let value = take(key) else { return defaultValue }
        if case .bool(let bool) = value { return bool }
        throw problem(key, "must be true or false", value)
    }

    package mutating func text(_ key: String) throws(ConfigurationProblem) -> String? {
        guard let value = take(key) else { return nil }
        if case .string(let text) = value { return text }
        throw problem(key, "must be a text", value)
    }

    /// Refuses what nobody read.
    package func refuseRemaining() throws(ConfigurationProblem) {
        guard let unknown = remaining.members.first?.key else { return }
        let allowed = known.isEmpty ? "takes no options" : "has the options \(known.joined(separator: ", "))"
        let nearest = nearestName(to: unknown, among: known).map { "; did you mean \($0)?" } ?? ""
        throw ConfigurationProblem(key: "strategy.\(unknown)", "is unknown: this strategy \(allowed)\(nearest)")
    }

    private func problem(_ key: String, _ allowed: String, _ value: ParameterValue) -> ConfigurationProblem {
        ConfigurationProblem(key: "strategy.\(key)", "\(allowed), not \(value.shortText)")
    }
}

extension StrategyOptions {
    /// A duration as a bound, by its nominal length.
    package struct Bound: Comparable, Sendable {
        package var duration: CalendarDuration

        package init(_ duration: CalendarDuration) {
            self.duration = duration
        }

        package static func < (left: Bound, right: Bound) -> Bool {
            left.duration.nominal < right.duration.nominal
        }

        package static func == (left: Bound, right: Bound) -> Bool {
            left.duration.nominal == right.duration.nominal
        }
    }
}

/// The bounds of STRATEGIES.md 2.
extension ClosedRange<StrategyOptions.Bound> {
    private static var longest: StrategyOptions.Bound { .init(CalendarDuration(days: 31)) }
    /// Intervals and spans.
    package static var interval: Self { .init(CalendarDuration(time: .seconds(1)))...longest }
    package static var offlineAfter: Self { .init(.minutes(1))...longest }
    package static var lead: Self { .init(CalendarDuration())...longest }
}

extension ParameterValue {
    /// The value as a message quotes it.
    fileprivate var shortText: String {
        switch self {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .number(let text): text
        case .string(let text): "\"\(text.prefix(60))\""
        case .array: "an array"
        case .object: "an object"
        }
    }
}
