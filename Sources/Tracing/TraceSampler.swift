/// Decides which traces are recorded, by the names of OpenTelemetry's `OTEL_TRACES_SAMPLER`.
package struct TraceSampler: Hashable, Sendable {
    package enum Name: String, CaseIterable, Sendable {
        case alwaysOn = "always_on"
        case alwaysOff = "always_off"
        case ratio = "traceidratio"
        case parentBasedAlwaysOn = "parentbased_always_on"
        case parentBasedAlwaysOff = "parentbased_always_off"
        case parentBasedRatio = "parentbased_traceidratio"
    }

    package let name: Name
    /// The part of traces that is recorded, from 0 to 1, where the name asks for it.
    package let ratio: Double

    package init(_ name: Name, ratio: Double = 1) {
        precondition((0...1).contains(ratio), "A part is from 0 to 1.")
        self.name = name
        self.ratio = ratio
    }

    /// The same for each span of a trace, and in each process.
    func isSampled(_ trace: TraceID, parent: SpanContext?) -> Bool {
        switch name {
        case .alwaysOn: true
        case .alwaysOff: false
        case .ratio: isWithinRatio(trace)
        case .parentBasedAlwaysOn: parent?.isSampled ?? true
        case .parentBasedAlwaysOff: parent?.isSampled ?? false
        case .parentBasedRatio: parent?.isSampled ?? isWithinRatio(trace)
        }
    }

    private func isWithinRatio(_ trace: TraceID) -> Bool {
        Double(trace.low >> 1) < ratio * 0x1p63
    }
}
