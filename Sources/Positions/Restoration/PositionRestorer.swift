/// Finds a reader's place again in the entries of a timeline.
public struct PositionRestorer: Sendable {
    /// The switches and bounds.
    public let settings: PositionSettings
    private let similarity: any TextSimilarity

    /// How many suggestions there are at most.
    public static let suggestionsMax = 3

    /// A restorer that measures texts by the given similarity.
    public init(settings: PositionSettings = PositionSettings(), similarity: any TextSimilarity = JaccardSimilarity()) {
        self.settings = settings
        self.similarity = similarity
    }

    /// The place where a device goes on: the newest of all devices, or the device's own where it is further ahead.
    ///
    /// The entry itself is an exact match; else the nearest within an hour of its date; else the most similar one; else
    /// the fallback decides. A place of another device to which this one is not moved is suggested.
    ///
    /// - Parameters:
    ///   - deviceId: the device that asks; `nil` means the one without a name.
    ///   - entries: the entries of the timeline, ascending by date.
    ///   - fallback: what decides when nothing is found; `nil` stands for that of the settings.
    ///   - instant: the present, for the words of suggestions.
    public func restore(
        _ positions: ReaderPositions, deviceId: String?, into entries: [PositionedEntry],
        fallback: FallbackStrategy? = nil, at instant: Instant
    ) -> Restoration {
        let (positions, places) = places(of: positions, for: deviceId)
        let finder = finder(in: entries)
        let matches = places.target.map { finder.matches(for: $0) } ?? []
        guard let best = matches.first else {
            var restoration = fall(back: fallback ?? settings.fallbackStrategy, to: places.target, in: entries)
            var suggestions = Suggestions(entries: entries, positions: positions, at: instant)
            suggestions.add(elsewhere: places.elsewhere, finder)
            restoration.suggestions = suggestions.list(without: restoration.index)
            return restoration
        }
        var suggestions = Suggestions(entries: entries, positions: positions, at: instant)
        suggestions.add(elsewhere: places.elsewhere, finder)
        if let target = places.target { suggestions.add(matches, of: target) }
        let isExact = best.method == .exactMatch
        return Restoration(
            index: best.index, offset: isExact ? places.target?.offset ?? 0 : 0, method: best.method,
            confidence: best.confidence, suggestions: suggestions.list(without: best.index))
    }

    /// Places to offer to a reader who is reading on a device: where another device has got to since, and, where the
    /// device's own entry is gone, the places that may stand for it. A dismissed one is left out until a newer snapshot
    /// comes. At most three, the best first.
    public func suggestions(
        _ positions: ReaderPositions, deviceId: String?, in entries: [PositionedEntry], at instant: Instant
    ) -> [RestorationSuggestion] {
        guard settings.enabled else { return [] }
        let visible = settings.crossSessionSync ? positions : positions.only(device: deviceId)
        let own = visible.position(ofDevice: deviceId)
        let finder = finder(in: entries)
        let matches = own.map { finder.matches(for: $0) } ?? []
        var suggestions = Suggestions(entries: entries, positions: visible, at: instant)
        suggestions.add(elsewhere: visible.newestElsewhere(than: deviceId), finder)
        if let own { suggestions.add(matches, of: own) }
        return suggestions.list(without: matches.first?.index)
    }

    private func finder(in entries: [PositionedEntry]) -> PlaceFinder {
        PlaceFinder(entries: entries, isSmart: settings.smartRestoration, similarity: similarity)
    }

    // MARK: - The place

    /// The place to restore, and the newer one of another device to which this device is not moved.
    private func places(
        of positions: ReaderPositions, for deviceId: String?
    ) -> (ReaderPositions, (target: PositionSnapshot?, elsewhere: PositionSnapshot?)) {
        guard settings.enabled else { return (ReaderPositions(), (nil, nil)) }
        guard settings.crossSessionSync else {
            let own = positions.only(device: deviceId)
            return (own, (own.position, nil))
        }
        let own = positions.position(ofDevice: deviceId)
        if let own, let newer = positions.newestElsewhere(than: deviceId), own.isAhead(of: newer) {
            return (positions, (own, newer))
        }
        return (positions, (positions.position, nil))
    }

    private func fall(
        back strategy: FallbackStrategy, to snapshot: PositionSnapshot?, in entries: [PositionedEntry]
    ) -> Restoration {
        guard !entries.isEmpty else {
            return Restoration(index: nil, offset: 0, method: .fallback, confidence: Self.fallbackConfidence)
        }
        let last = entries.count - 1
        let index =
            switch strategy {
            case .nearestContent: entries.count / 2
            case .topOfTimeline, .oldestPost: 0
            case .newestPost: last
            case .lastKnownPosition: min(snapshot?.index ?? 0, last)
            }
        let offset = strategy == .lastKnownPosition ? snapshot?.offset ?? 0 : 0
        return Restoration(index: index, offset: offset, method: .fallback, confidence: Self.fallbackConfidence)
    }

    private static let fallbackConfidence = 0.1
}

extension ReaderPositions {
    /// The newest place of all devices, if it is another device's and newer than the device's own.
    fileprivate func newestElsewhere(than deviceId: String?) -> PositionSnapshot? {
        guard let newest, !isSameDevice(newest.deviceId, deviceId) else { return nil }
        return newest.position
    }
}
