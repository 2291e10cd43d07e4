/// Gathers the places that a reader may have meant.
struct Suggestions {
    private let entries: [PositionedEntry]
    private let positions: ReaderPositions
    private let instant: Instant
    private var found: [RestorationSuggestion] = []

    init(entries: [PositionedEntry], positions: ReaderPositions, at instant: Instant) {
        self.entries = entries
        self.positions = positions
        self.instant = instant
    }

    /// Adds the best place that stands for where another device has got to.
    mutating func add(elsewhere snapshot: PositionSnapshot?, _ finder: PlaceFinder) {
        guard let snapshot, let best = finder.matches(for: snapshot).first else { return }
        let description = "You were here \(ago(snapshot.observedAt)) on another device."
        add(best, of: snapshot, description)
    }

    /// Adds the places that stand for an entry that is gone.
    mutating func add(_ matches: [PlaceFinder.Match], of snapshot: PositionSnapshot) {
        for match in matches { add(match, of: snapshot, reason(for: match, of: snapshot)) }
    }

    /// The best ones, at most three, without the place where the reader is.
    func list(without index: Int?) -> [RestorationSuggestion] {
        let others = found.enumerated().filter { $0.element.index != index }
        let sorted = others.sorted { left, right in
            left.element.confidence == right.element.confidence
                ? left.offset < right.offset : left.element.confidence > right.element.confidence
        }
        return sorted.prefix(PositionRestorer.suggestionsMax).map(\.element)
    }

    private mutating func add(_ match: PlaceFinder.Match, of snapshot: PositionSnapshot, _ description: String) {
        let entry = entries[match.index]
        guard !found.contains(where: { $0.index == match.index }), !isDismissed(entry.id, since: snapshot.observedAt)
        else { return }
        found.append(
            RestorationSuggestion(
                title: entry.title ?? entry.date.rfc3339, description: description, entryId: entry.id,
                index: match.index, confidence: match.confidence))
    }

    /// True if the reader dismissed the entry after the place came from which it is suggested.
    private func isDismissed(_ entryId: String, since observedAt: Instant) -> Bool {
        positions.dismissed.contains { $0.entryId.isSameByUTF8(as: entryId) && $0.at >= observedAt }
    }

    // MARK: - Words

    private func reason(for match: PlaceFinder.Match, of snapshot: PositionSnapshot) -> String {
        switch match.method {
        case .temporalProximity:
            let date = entries[match.index].date
            let distance = snapshot.entryDate.map { date.distance(to: $0) } ?? .zero
            guard distance.milliseconds >= 1000 else { return "At the time where you stopped." }
            let side = snapshot.entryDate.map { date < $0 } == true ? "before" : "after"
            return "\(distance.words) \(side) the time where you stopped."
        case .contentSimilarity: return "Similar to what you read \(ago(snapshot.observedAt))."
        case .exactMatch, .fallback, .manual: return "You were here \(ago(snapshot.observedAt))."
        }
    }

    /// "5 minutes ago", in the largest unit that fits.
    private func ago(_ then: Instant) -> String {
        let seconds = max(0, (instant - then).milliseconds / 1000)
        let units: [(length: Int64, name: String)] = [(86_400, "day"), (3600, "hour"), (60, "minute")]
        guard let unit = units.first(where: { seconds >= $0.length }) else { return "just now" }
        let count = seconds / unit.length
        return "\(count) \(unit.name)\(count == 1 ? "" : "s") ago"
    }
}
