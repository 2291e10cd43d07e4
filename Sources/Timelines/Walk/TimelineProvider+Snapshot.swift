extension TimelineProvider {
    /// The present alone, for a gallery of widgets (STRATEGIES.md 2, snapshot): the timeline with its first entry only
    /// and policy `never`. Instead of a placeholder it shows the first sample.
    package static func snapshot(for request: TimelineRequest) -> Timeline {
        var entry = timeline(for: request).entries[0]
        if entry.phase == .placeholder {
            var sample = TimelineEntry(.tick, at: request.at, vehicle: .sample(0))
            sample.isSample = true
            sample.id = sample.identifier
            sample.parameters = entry.parameters
            entry = sample
        }
        return Timeline(entries: [entry], policy: .never, nextUpdate: nil, validUntil: nil)
    }
}
