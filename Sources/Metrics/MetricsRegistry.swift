import Synchronization

/// The metrics of a process: its instruments, and the collectors that it asks for what others count. Any thread.
///
/// A collector is called for each snapshot, on the thread that asks for it. It must not wait: it copies what its owner
/// published last. So what is measured on a hot path costs nothing there, and series go with what they are of.
package final class MetricsRegistry: Sendable {
    package typealias Collector = @Sendable (inout MetricsSnapshot) -> Void

    private let families: [MetricFamily]
    private let collectors = Mutex<[Collector]>([])

    /// - Parameter families: all metrics that it will have, in the order in which they are written.
    package init(_ families: [MetricFamily]) {
        self.families = families
    }

    package func collect(_ collector: @escaping Collector) {
        collectors.withLock { $0.append(collector) }
    }

    /// Makes a counter that belongs to the family from here on.
    ///
    /// - Parameter labels: the values of the family's labels, in their order.
    package func counter(_ family: MetricFamily, _ labels: [String] = []) -> Counter {
        let counter = Counter()
        collect { $0.add(counter.value, to: family, labels) }
        return counter
    }

    package func gauge(_ family: MetricFamily, _ labels: [String] = []) -> Gauge {
        let gauge = Gauge()
        collect { $0.add(gauge.value, to: family, labels) }
        return gauge
    }

    package func histogram(
        _ family: MetricFamily, _ labels: [String] = [], bounds: [Double] = Distribution.durations
    ) -> Histogram {
        let histogram = Histogram(bounds: bounds)
        collect { $0.add(histogram.value, to: family, labels) }
        return histogram
    }

    package func timer(_ family: MetricFamily, _ labels: [String] = []) -> Timer {
        Timer(histogram(family, labels))
    }

    /// The numbers of now.
    package func snapshot() -> MetricsSnapshot {
        var snapshot = MetricsSnapshot(families)
        for collector in collectors.withLock({ $0 }) { collector(&snapshot) }
        return snapshot
    }
}
