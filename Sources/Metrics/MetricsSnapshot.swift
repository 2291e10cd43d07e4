/// The numbers of all metrics at an instant. A value, filled once for each time that somebody asks.
package struct MetricsSnapshot: Sendable {
    enum Value: Sendable {
        case number(Double)
        case distribution(Distribution)
    }

    /// In the order in which they are written.
    package let families: [MetricFamily]
    private var series: [String: [[String]: Value]] = [:]

    /// - Precondition: no name stands twice.
    package init(_ families: [MetricFamily]) {
        precondition(Set(families.map(\.name)).count == families.count, "a metric is declared once")
        self.families = families
        for family in families { series[family.name] = [:] }
    }

    /// Adds to a counter or a gauge, so that what several threads count is one number.
    ///
    /// - Parameter labels: the values of the family's labels, in their order.
    package mutating func add(_ value: Double, to family: MetricFamily, _ labels: [String] = []) {
        precondition(family.kind == .counter || family.kind == .gauge, "\(family.name) takes no number")
        insert(.number(value), family, labels)
    }

    package mutating func add(_ value: Int, to family: MetricFamily, _ labels: [String] = []) {
        precondition(family.kind == .counter || family.kind == .gauge, "\(family.name) takes no number")
        insert(.number(Double(value)), family, labels)
    }

    package mutating func add(_ value: Distribution, to family: MetricFamily, _ labels: [String] = []) {
        precondition(family.kind == .histogram, "\(family.name) takes no distribution")
        insert(.distribution(value), family, labels)
    }

    package mutating func say(_ family: MetricFamily, _ labels: [String] = []) {
        precondition(family.kind == .info, "\(family.name) says nothing")
        check(family, labels)
        series[family.name]?[labels] = .number(1)
    }

    /// Sets a gauge to the larger of what it has and this: for what the worst one decides.
    package mutating func raise(_ family: MetricFamily, to value: Double, _ labels: [String] = []) {
        precondition(family.kind == .gauge, "\(family.name) only adds up")
        check(family, labels)
        guard case .number(let old)? = series[family.name]?[labels], old >= value else {
            series[family.name]?[labels] = .number(value)
            return
        }
    }

    private mutating func insert(_ value: Value, _ family: MetricFamily, _ labels: [String]) {
        check(family, labels)
        switch (series[family.name]?[labels], value) {
        case (.number(let old)?, .number(let new)): series[family.name]?[labels] = .number(old + new)
        case (.distribution(var old)?, .distribution(let new)):
            old.add(new)
            series[family.name]?[labels] = .distribution(old)
        default: series[family.name]?[labels] = value
        }
    }

    private func check(_ family: MetricFamily, _ labels: [String]) {
        precondition(series[family.name] != nil, "\(family.name) is none of this registry's metrics")
        precondition(labels.count == family.labels.count, "\(family.name) has the labels \(family.labels)")
    }

    /// The series of a family, ordered by the values of their labels, byte by byte.
    func ordered(_ family: MetricFamily) -> [(labels: [String], value: Value)] {
        (series[family.name] ?? [:]).map { ($0.key, $0.value) }.sorted { left, right in
            left.labels.lexicographicallyPrecedes(right.labels) { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
    }
}
