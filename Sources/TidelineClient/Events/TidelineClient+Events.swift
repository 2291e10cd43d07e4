internal import Foundation
internal import Positions

/// Changes, as the server commits them.
extension TidelineClient {
    /// The changes that the server tells of from now on; timelines among them go to the cache.
    ///
    /// With `cloudSync` off positions are left out, for to ask for them would say who reads here.
    public func events(_ filter: EventFilter = EventFilter()) -> ServerEvents {
        let (settings, clock) = (configuration.settings, configuration.clock)
        return ServerEvents(
            source: EventSource(
                connection: connection, query: query(for: filter), clock: clock, random: configuration.random,
                silenceMax: settings.silenceMax
            ) { [weak self] configurationId, timeline in
                let cached = timeline.map { timeline, body in
                    CachedTimeline(timeline: timeline, body: body, etag: nil, fetchedAt: clock.now)
                }
                await self?.keep(cached, for: configurationId)
            })
    }

    private func query(for filter: EventFilter) -> [(name: String, value: String)]? {
        var kinds = filter.kinds
        if !configuration.settings.positions.cloudSync { kinds.remove(.positions) }
        guard !kinds.isEmpty else { return nil }
        let types = EventFilter.Kind.allCases.filter(kinds.contains).map(\.rawValue)
        var query = [(name: "types", value: types.joined(separator: ","))]
        let reader = kinds.contains(.positions) ? filter.readerId ?? configuration.readerId : nil
        for (name, value) in [
            ("configurationId", filter.configurationId), ("recipient", filter.recipient), ("kind", filter.kind),
            ("readerId", reader),
        ] {
            if let value { query.append((name, value)) }
        }
        return query
    }
}
