/// What a day came to, counted from the records.
package struct DayFigures {
    package var timelines = 0
    package var renewals = 0
    /// Timelines made because something changed.
    package var changes = 0
    /// The timelines among them that show something else than the one before (T6).
    package var visibleChanges = 0
    package var reloads = 0
    /// Configurations named in reloads.
    package var named = 0
    /// By reason, reloads.
    package var reasons: [String: Int] = [:]
    /// Configurations named that had waited for a token.
    package var waited = 0
    /// Changes that were taken back before they were announced.
    package var dropped = 0
    /// Changes that the recipient found by himself, when he came back at a `nextUpdate`.
    package var foundByThemselves = 0
    /// By kind.
    package var kinds: [String: OfKind] = [:]

    package struct OfKind {
        package var limit: Int64 = 0
        package var configurations = 0
        package var named = 0
        /// The most that any configuration's reloads cost in any 24 hours.
        package var mostInADay = 0
    }

    package init() {}
}
