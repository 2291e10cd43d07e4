package import Messages
package import Timelines

/// The timelines of a preview: of each configuration the one that would be made at an instant, or all that would be
/// made from then on.
package struct PreviewRun: Sendable {
    package var inputs: PreviewInputs
    package var at: Instant
    /// The end of the walk; `nil` means the first timeline alone.
    package var until: Instant?
    /// True if the snapshot is shown instead of the timeline.
    package var isSnapshot: Bool
    /// True if the first sample stands in for a vehicle without telemetry.
    package var isSampled: Bool

    package init(
        _ inputs: PreviewInputs, at: Instant, until: Instant? = nil, isSnapshot: Bool = false, isSampled: Bool = false
    ) {
        precondition(until.map { at <= $0 } ?? true, "a preview does not go back")
        self.inputs = inputs
        self.at = at
        self.until = until
        self.isSnapshot = isSnapshot
        self.isSampled = isSampled
    }

    /// A preview of each configuration, in the order of the file.
    package var previews: [Preview] {
        inputs.configurations.map { configuration in
            let hasSample = isSampled && !isHeardOf(configuration)
            return Preview(
                configuration: configuration, at: at, until: until, isSnapshot: isSnapshot, hasSample: hasSample,
                sources: hasSample ? SampleSources(inputs.sources) : inputs.sources)
        }
    }

    private func isHeardOf(_ configuration: WidgetConfiguration) -> Bool {
        configuration.chosenVehicle.map { inputs.sources.knows(vehicle: $0) } ?? true
    }
}

/// The timelines of one configuration, made as they are asked for.
package struct Preview: Sequence, Sendable {
    package let configuration: WidgetConfiguration
    package let at: Instant
    /// The end of the walk; `nil` means the first timeline alone.
    package let until: Instant?
    fileprivate let isSnapshot: Bool
    fileprivate let hasSample: Bool
    fileprivate let sources: any TimelineSources & Sendable

    package func makeIterator() -> AnyIterator<TimelineWalk.Step> {
        let walk = TimelineWalk(of: configuration, from: at, until: until ?? at, sources: sources)
        return AnyIterator(walk.lazy.map(shown).makeIterator())
    }

    private func shown(_ step: TimelineWalk.Step) -> TimelineWalk.Step {
        var step = step
        if isSnapshot { step.timeline = snapshot }
        guard hasSample else { return step }
        for index in step.timeline.entries.indices { step.timeline.entries[index].markSample() }
        return step
    }

    private var snapshot: Timeline {
        let needs = TimelineProvider.needs(of: configuration)
        let calendar = LocalCalendar(configuration.timeZone) ?? .utc
        let occurrences = needs.agenda.map { need in
            let window = need.window(at: at, in: calendar)
            return need.calendarIds.flatMap { sources.occurrences(of: $0, in: window) }.filter(window.includes)
        }
        return TimelineProvider.snapshot(
            for: TimelineRequest(
                configuration: configuration, vehicle: needs.vehicle.flatMap { sources.vehicle($0.vehicleId, at: at) },
                occurrences: occurrences ?? [], at: at))
    }
}

/// Sources in which every vehicle is the first sample, at all times.
private struct SampleSources: TimelineSources {
    let files: PreviewSources

    init(_ files: PreviewSources) {
        self.files = files
    }

    func vehicle(_ vehicleId: String, at instant: Instant) -> Vehicle? {
        let sample = TimelineEntry.VehicleView.sample(0)
        var vehicle = Vehicle(vehicleId: sample.vehicleId)
        vehicle.registration = sample.registration
        vehicle.status = sample.status.flatMap { VehicleStatus(rawValue: $0) }
        vehicle.speed = sample.speed
        vehicle.address = sample.location
        // A sample is never silent.
        vehicle.observedAt = instant
        return vehicle
    }

    func nextArrival(of vehicleId: String, after instant: Instant) -> Instant? { nil }

    func occurrences(of calendarId: String, in window: AgendaWindow) -> [Occurrence] {
        files.occurrences(of: calendarId, in: window)
    }
}

extension TimelineEntry {
    fileprivate mutating func markSample() {
        guard vehicle != nil, phase != .placeholder else { return }
        isSample = true
        vehicle?.observedAt = nil
    }
}

extension TimelineRecord {
    /// The record of a timeline that would be made: made from no record of a topic, so `sources` is empty.
    /// Nobody was told anything yet, so its budget is untouched.
    package init(
        _ step: TimelineWalk.Step, of configuration: WidgetConfiguration, terms: ReloadTerms = ReloadTerms()
    ) {
        self.init(
            configurationId: configuration.configurationId, kind: configuration.kind, family: configuration.family,
            recipient: configuration.recipient, revision: step.revision, generatedAt: step.at,
            timeline: step.timeline, refreshCount: step.refreshCount,
            budget: TokenBucket(terms, at: step.at).budget(terms, at: step.at))
    }
}
