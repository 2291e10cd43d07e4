extension TimelineWalk {
    /// A timeline as the pipeline would publish it.
    package struct Step: Hashable, Sendable {
        /// The instant for which it was made; of a renewal its due date.
        package var at: Instant
        package var cause: Cause
        package var timeline: Timeline
        /// From 1; the same content keeps it (T6).
        package var revision: Int64
        /// From 1.
        package var refreshCount: Int64
        /// Whether a reload may announce it. The first timeline of a configuration always is a visible change.
        package var isVisibleChange: Bool
    }

    /// Why a timeline is made (T12). Of several causes at one instant the first of this order is named.
    package enum Cause: Hashable, Sendable {
        case configuration
        /// Something is known of its vehicle for the first time.
        case firstHeardOf
        /// Telemetry has changed the vehicle's status.
        case statusChange(from: VehicleStatus, to: VehicleStatus)
        /// Nothing was heard of the vehicle for so long.
        case silence(ElapsedTime)
        /// The vehicle changed as much as `sensitivity` says.
        case sensitivity
        /// The timeline before asked for it.
        case renewal
    }
}
