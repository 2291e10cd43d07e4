/// Finds the entries that stand for a place that was saved, among the entries of a timeline.
struct PlaceFinder {
    /// An entry that stands for a saved place.
    struct Match {
        var index: Int
        var method: RestorationMethod
        var confidence: Double
    }

    /// How far an entry may be from the date of the one that is gone.
    static let nearMax = ElapsedTime.hours(1)
    /// How much two texts must have in common.
    static let similarMin = 0.5

    let entries: [PositionedEntry]
    let isSmart: Bool
    let similarity: any TextSimilarity

    /// The entries that stand for a place, the best first: the entry itself alone, or else those that are near by time,
    /// the nearest first, then those that are similar, the most similar first.
    func matches(for snapshot: PositionSnapshot) -> [Match] {
        if let index = entries.firstIndex(where: { $0.id.isSameByUTF8(as: snapshot.entryId) }) {
            return [Match(index: index, method: .exactMatch, confidence: 1)]
        }
        guard isSmart else { return [] }
        let near = near(snapshot)
        // More than all suggestions hold.
        if near.count > PositionRestorer.suggestionsMax { return near }
        let taken = Set(near.map(\.index))
        return near + similar(to: snapshot).filter { !taken.contains($0.index) }
    }

    // MARK: - By time

    private func near(_ snapshot: PositionSnapshot) -> [Match] {
        guard let date = snapshot.entryDate else { return [] }
        let candidates = entries.indices.map { (index: $0, distance: entries[$0].date.distance(to: date)) }
        // Of one date the last entry is what is seen (T3); of two dates as near, the reader knows the earlier one.
        return candidates.filter { $0.distance <= Self.nearMax }.sorted { left, right in
            if left.distance != right.distance { return left.distance < right.distance }
            let (date, other) = (entries[left.index].date, entries[right.index].date)
            return date == other ? left.index > right.index : date < other
        }
        .map { Match(index: $0.index, method: .temporalProximity, confidence: Self.confidence(at: $0.distance)) }
    }

    /// 0.9 at the same date, 0.5 an hour away.
    private static func confidence(at distance: ElapsedTime) -> Double {
        0.9 - 0.4 * Double(distance.milliseconds) / Double(nearMax.milliseconds)
    }

    // MARK: - By content

    private struct Similar {
        var index: Int
        var likeness: Double
        var hasSamePhase: Bool
        var distance: ElapsedTime?
    }

    private func similar(to snapshot: PositionSnapshot) -> [Match] {
        let measure = measure(of: Self.text(snapshot.title, snapshot.location))
        let candidates = entries.indices.compactMap { index -> Similar? in
            let entry = entries[index]
            let isSameSeries = entry.series.map { snapshot.isOf(series: $0) } ?? false
            let likeness =
                isSameSeries ? 1 : measure(Self.text(entry.title, entry.location))
            guard likeness >= Self.similarMin else { return nil }
            return Similar(
                index: index, likeness: min(1, likeness), hasSamePhase: entry.id.phase == snapshot.entryId.phase,
                distance: snapshot.entryDate.map { entry.date.distance(to: $0) })
        }
        return candidates.sorted(by: Self.isBetter).map {
            Match(index: $0.index, method: .contentSimilarity, confidence: 0.5 * $0.likeness)
        }
    }

    /// The measure against one text, whose words are taken apart once.
    private func measure(of text: String) -> (String) -> Double {
        guard let jaccard = similarity as? JaccardSimilarity else {
            return { similarity.similarity(of: text, to: $0) }
        }
        let words = jaccard.words(of: text)
        return { words.isEmpty ? 0 : jaccard.index(words, jaccard.words(of: $0)) }
    }

    /// The more similar one; of equals the one of the same phase, then the nearest by time, then the first.
    private static func isBetter(_ left: Similar, _ right: Similar) -> Bool {
        if left.likeness != right.likeness { return left.likeness > right.likeness }
        if left.hasSamePhase != right.hasSamePhase { return left.hasSamePhase }
        if let distance = left.distance, let other = right.distance, distance != other { return distance < other }
        return left.index < right.index
    }

    private static func text(_ title: String?, _ location: String?) -> String {
        [title, location].compactMap(\.self).joined(separator: " ")
    }
}

extension PositionSnapshot {
    /// True if the entry's id names an occurrence of a series: `<phase>/<calendarId>/<uid>/<occurrence>` (T7). The
    /// names may have slashes, an occurrence and a phase have none.
    fileprivate func isOf(series: String) -> Bool {
        let id = entryId.utf8
        guard let start = id.firstIndex(of: UInt8(ascii: "/")), let end = id.lastIndex(of: UInt8(ascii: "/")),
            start < end
        else { return false }
        return id[id.index(after: start)..<end].elementsEqual(series.utf8)
    }
}

extension String {
    /// The part before the first slash of an entry's id.
    fileprivate var phase: Substring { prefix { $0 != "/" } }
}

extension Instant {
    /// The time between two instants, never negative.
    func distance(to other: Instant) -> ElapsedTime { self < other ? other - self : self - other }
}
