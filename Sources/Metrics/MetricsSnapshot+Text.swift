/// OpenMetrics 1.0 text, which Prometheus reads.
extension MetricsSnapshot {
    package static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    /// The text: each family in its order, with type, unit and help, also where it has no series yet; then `# EOF`.
    package var text: String {
        var text = ""
        for family in families { write(family, to: &text) }
        text += "# EOF\n"
        return text
    }

    private func write(_ family: MetricFamily, to text: inout String) {
        text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
        if let unit = family.unit { text += "# UNIT \(family.name) \(unit.rawValue)\n" }
        text += "# HELP \(family.name) \(Self.escaped(family.help))\n"
        for (values, value) in ordered(family) {
            let labels = zip(family.labels, values).map { "\($0)=\"\(Self.escaped($1))\"" }
            switch value {
            case .number(let number): text += Self.sample(family.sampleNames[0], labels, Self.number(number))
            case .distribution(let distribution):
                for (bound, count) in zip(distribution.bounds + [.infinity], distribution.cumulative) {
                    let range = "le=\"\(Self.bound(bound))\""
                    text += Self.sample(family.name + "_bucket", labels + [range], String(count))
                }
                text += Self.sample(family.name + "_count", labels, String(distribution.count))
                text += Self.sample(family.name + "_sum", labels, Self.number(distribution.sum))
            }
        }
    }

    private static func sample(_ name: String, _ labels: [String], _ value: String) -> String {
        labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels.joined(separator: ","))} \(value)\n"
    }

    /// Backslashes, quotation marks and line ends, as help and labels take them.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { Self.escapes[$0] ?? String($0) }.joined()
    }

    private static let escapes: [Unicode.Scalar: String] = ["\\": "\\\\", "\"": "\\\"", "\n": "\\n"]

    /// Whole numbers without a fraction, which every number up to 2^53 has exactly.
    private static func number(_ value: Double) -> String {
        if let whole = Int(exactly: value), whole.magnitude < 1 << 53 { return String(whole) }
        return bound(value)
    }

    private static func bound(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value.description
    }
}
