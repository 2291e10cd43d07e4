extension TimelineDraft {
    /// Rule 2, of entries in order: the last one with `date ≤ at` is in force, older ones are left out. Where none is,
    /// `present` is the first entry.
    func inForce(at: Instant, present: () -> TimelineEntry) -> TimelineDraft {
        var draft = self
        if let current = entries.lastIndex(where: { $0.date <= at }) {
            draft.entries.removeSubrange(..<current)
        } else {
            draft.entries.insert(present(), at: 0)
        }
        return draft
    }
}
