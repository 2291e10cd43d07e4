extension TimelineDraft {
    /// T4, of moments in order with the one in force first: at most `limit` entries. Future `day` entries go first,
    /// the farthest before the nearer, then others from the far end. The one in force stays, and above a limit of 1 the
    /// `day` entry of the next local midnight.
    func limited(to limit: Int, keepingDayAt nextMidnight: Instant) -> TimelineDraft {
        precondition(limit >= 1)
        guard moments.count > limit else { return self }
        var excess = moments.count - limit
        var goes = [Bool](repeating: false, count: moments.count)
        for isDay in [true, false] {
            for index in moments.indices.dropFirst().reversed() where excess > 0 {
                let moment = moments[index]
                guard (moment.phase == .day) == isDay else { continue }
                if isDay && limit > 1 && moment.date == nextMidnight { continue }
                goes[index] = true
                excess -= 1
            }
        }
        var draft = self
        draft.moments = moments.indices.filter { !goes[$0] }.map { moments[$0] }
        // Ascending: the first that goes is the earliest.
        let gone = moments.indices.first { goes[$0] }.map { moments[$0].date }
        draft.firstLeftOut = [firstLeftOut, gone].compactMap(\.self).min()
        return draft
    }
}
