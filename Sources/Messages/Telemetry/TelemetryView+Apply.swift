package import Timelines

/// The result of applying a telemetry record to its vehicle.
package enum TelemetryOutcome: Hashable, Sendable {
    case applied
    /// Older than what is known of the vehicle: counted and dropped.
    case late
}

extension TelemetryView {
    /// Changes the vehicle in place to what this record says (M3). The last writer by `observedAt` wins, of equal ones
    /// the later to arrive. The record replaces the older one as a whole, but registration, alias, icon and series stay
    /// known until they are replaced or null. Master data leaves everything else as it is.
    ///
    /// Allocates nothing if the texts are known already.
    package func apply(to vehicle: inout Vehicle) -> TelemetryOutcome { apply(to: &vehicle, observedAt: observedAt) }

    /// Applies a record that counts as observed at another instant than it says.
    package func apply(to vehicle: inout Vehicle, observedAt: Instant) -> TelemetryOutcome {
        if let known = vehicle.observedAt, observedAt < known { return .late }
        registration.apply(to: &vehicle.registration)
        alias.apply(to: &vehicle.alias)
        customAddressIcon.apply(to: &vehicle.customAddressIcon)
        switch series {
        case .unchanged: break
        case .cleared: vehicle.series = []
        case .replaced(let series): vehicle.series = series
        }
        guard !isMasterData else { return .applied }

        vehicle.observedAt = observedAt
        vehicle.status = status
        vehicle.speed = speed
        vehicle.latitude = latitude
        vehicle.longitude = longitude
        vehicle.heading = heading
        (address.map { .replaced($0) } ?? TelemetryChange.cleared).apply(to: &vehicle.address)
        return .applied
    }
}

extension TelemetryChange where Value == TelemetryText {
    fileprivate func apply(to text: inout String?) {
        switch self {
        case .unchanged: break
        case .cleared: text = nil
        case .replaced(let new):
            if let known = text, new == known { return }
            text = String(new)
        }
    }
}
