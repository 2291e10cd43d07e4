/// How a reader came to a place: the way in which it was restored, or by hand.
public enum RestorationMethod: String, CaseIterable, Hashable, Codable, Sendable {
    /// The entry itself is still in the timeline.
    case exactMatch = "exact_match"
    /// An entry stands within an hour of the date of the one that is gone.
    case temporalProximity = "temporal_proximity"
    /// An entry belongs to the same series of events, or says nearly the same.
    case contentSimilarity = "content_similarity"
    /// Nothing was found, and a `FallbackStrategy` decided.
    case fallback
    /// The reader scrolled there.
    case manual
}
