extension TimelineDraft {
    /// T2, of moments in order: the last one with `date ≤ at` is in force, older ones are left out. Where none is,
    /// the first entry is a tick.
    func inForce(at: Instant) -> TimelineDraft {
        var draft = self
        if let current = moments.lastIndex(where: { $0.date <= at }) {
            draft.moments.removeSubrange(..<current)
        } else {
            draft.moments.insert(.tick(at, Moment.whatIsKnown), at: 0)
        }
        return draft
    }
}
