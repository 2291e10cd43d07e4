/// The options of a strategy as a configuration gives them; each read takes its key away, so that what is left is
/// unknown.
package struct StrategyOptions: Sendable {
    package private(set) var remaining: Parameters
    /// The keys asked for so far, whether they were there or not: all that is allowed, once everything is read.
    package private(set) var known: [String] = []

    package init(_ options: Parameters = Parameters()) {
        remaining = options
    }

    /// Takes the value of `key` out; nil where it is absent.
    package mutating func take(_ key: String) -> ParameterValue? {
        known.append(key)
        let value = remaining[key]
        remaining[key] = nil
        return value
    }
}
