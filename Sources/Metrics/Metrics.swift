// Metrics: counters, gauges and histograms, and the text in which a monitoring system reads them.
//
// It must not know what is measured, nor Kafka, HTTP, clocks or settings: whoever measures names a family and gives
// numbers. It is pure, but for the locks of its instruments.
//
// Begin with the family below, which is a metric's declaration. `Instruments` hold numbers that any thread adds to, as
// swift-metrics has them. `MetricsRegistry` owns them, and asks collectors for what others count anyway, so that a hot
// path pays nothing. `MetricsSnapshot+Text` writes OpenMetrics.

/// The declaration of a metric: its name, what it counts or measures, and the names of its labels.
package struct MetricFamily: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        /// It only rises, from zero at the start of the process.
        case counter
        /// It rises and falls.
        case gauge
        /// How often something took how long, in ranges.
        case histogram
        /// It is always 1; its labels say something.
        case info
    }

    package enum Unit: String, Hashable, Sendable {
        case seconds, bytes, records
    }

    /// The name without the suffixes that samples have, such as `_total` of a counter.
    package let name: String
    package let kind: Kind
    /// The last word of the name; `nil` where numbers have no unit.
    package let unit: Unit?
    package let labels: [String]
    /// Whole sentences.
    package let help: String

    /// - Precondition: name and labels have small letters, digits and underscores alone, and the name ends in its unit.
    package init(_ name: String, _ kind: Kind, unit: Unit? = nil, labels: [String] = [], _ help: String) {
        precondition(Self.isName(name), "\(name) is no name of a metric")
        precondition(labels.allSatisfy { Self.isName($0) && $0 != "le" }, "\(name): \(labels) are no names of labels")
        precondition(Set(labels).count == labels.count, "\(name) has a label twice")
        precondition(unit.map { name.hasSuffix("_\($0.rawValue)") } ?? true, "\(name) must end in its unit")
        precondition(!Self.suffixes.contains { name.hasSuffix($0) }, "\(name) ends as samples do")
        self.name = name
        self.kind = kind
        self.unit = unit
        self.labels = labels
        self.help = help
    }

    /// The names of its samples, in the order in which they are written.
    package var sampleNames: [String] {
        switch kind {
        case .counter: [name + "_total"]
        case .gauge: [name]
        case .histogram: [name + "_bucket", name + "_count", name + "_sum"]
        case .info: [name + "_info"]
        }
    }

    private static let suffixes = ["_total", "_count", "_sum", "_bucket", "_info", "_created"]

    private static func isName(_ text: String) -> Bool {
        let isFirstGood = text.utf8.first.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) } ?? false
        return isFirstGood
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
