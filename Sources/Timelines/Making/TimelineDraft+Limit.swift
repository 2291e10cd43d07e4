extension TimelineDraft {
    /// Rule 4, of entries in order with the one in force first: at most `limit` entries. Future `day` entries go first,
    /// the farthest before the nearer, then others from the far end. The one in force stays, and above a limit of 1 the
    /// `day` entry of the next local midnight.
    func limited(to limit: Int, keepingDayAt nextMidnight: Instant) -> TimelineDraft {
        precondition(limit >= 1)
        guard entries.count > limit else { return self }
        let isKept = { (index: Int) in
            index == 0 || (limit > 1 && entries[index].phase == .day && entries[index].date == nextMidnight)
        }
        let fromFarEnd = entries.indices.reversed().filter { !isKept($0) }
        let goingFirst = fromFarEnd.filter { entries[$0].phase == .day }
        let goingThen = fromFarEnd.filter { entries[$0].phase != .day }
        let gone = Set((goingFirst + goingThen).prefix(entries.count - limit))

        var draft = self
        draft.entries = entries.indices.filter { !gone.contains($0) }.map { entries[$0] }
        draft.firstLeftOut = ([firstLeftOut] + gone.map { entries[$0].date }).compactMap(\.self).min()
        return draft
    }
}
