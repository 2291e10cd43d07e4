/// The registry of strategies: the one place that names them all.
package enum TimelineStrategies {
    package static let all: [any TimelineStrategy.Type] = []
}
