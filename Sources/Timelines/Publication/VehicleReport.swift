/// A vehicle as a configuration was last told of it: newer telemetry makes a timeline at once only if it is news
/// against this report (T12).
package struct VehicleReport: Hashable, Sendable {
    /// The instant of the report.
    package var at: Instant
    /// The vehicle's status as it counted at `at`; `nil` means that the vehicle was not heard of.
    package var status: VehicleStatus?
    /// How many of the need's silences had passed at `at`.
    package var silences: Int
    /// The vehicle as it was reported. It is kept for a sensitivity alone; `nil` means that there is none, or that
    /// nothing was known of the vehicle.
    package var vehicle: Vehicle? { heldVehicle?.value }
    /// Nearly every report has none, and all of them have room for it.
    private var heldVehicle: Indirect<Vehicle>?

    /// A report of stored fields, each as the property of its name says.
    package init(at: Instant, status: VehicleStatus?, silences: Int, vehicle: Vehicle?) {
        self.at = at
        self.status = status
        self.silences = silences
        heldVehicle = vehicle.map(Indirect.init)
    }

    /// Reports a vehicle as it counts at an instant.
    ///
    /// - Parameters:
    ///   - vehicle: the vehicle as far as it is known; `nil` means that nothing is known of it.
    ///   - at: the instant of the report.
    ///   - need: what the configuration needs of the vehicle.
    ///   - sensitivity: how much the vehicle must change to be news without a change of status; `nil` means that no
    ///     such change is news.
    package init(
        of vehicle: Vehicle?, at: Instant, for need: SourceNeeds.VehicleNeed,
        sensitivity: WidgetConfiguration.Sensitivity?
    ) {
        self.init(
            at: at, status: vehicle?.status(at: at, offlineAfter: need.offlineAfter),
            silences: need.silencesPassed(of: vehicle, at: at), vehicle: sensitivity == nil ? nil : vehicle)
    }
}

/// What is new of a vehicle, so that a timeline is made at once (T12).
package enum VehicleNews: Hashable, Sendable {
    /// The status counts as another one, or the vehicle fell silent or is heard of again, with the same status on both
    /// sides then. `nil` means that the vehicle is not heard of.
    case status(from: VehicleStatus?, to: VehicleStatus?)
    /// The vehicle changed as much as the sensitivity says.
    case sensitivity
}

extension VehicleReport {
    /// What is new of a vehicle at `at`, compared with this report; `nil` means that there is no news.
    ///
    /// - Parameters:
    ///   - need: what the configuration needs of the vehicle, as it was when the report was made.
    ///   - sensitivity: the configuration's sensitivity, as it was when the report was made.
    package func news(
        of vehicle: Vehicle, at: Instant, for need: SourceNeeds.VehicleNeed,
        sensitivity: WidgetConfiguration.Sensitivity?
    ) -> VehicleNews? {
        let status = vehicle.status(at: at, offlineAfter: need.offlineAfter)
        if status != self.status || need.silencesPassed(of: vehicle, at: at) != silences {
            return .status(from: self.status, to: status)
        }
        guard let reported = self.vehicle, let sensitivity else { return nil }
        return sensitivity.isExceeded(from: reported, to: vehicle) ? .sensitivity : nil
    }

    /// The next silence that was not yet reported, with its length, if nothing more is heard of the vehicle; `nil`
    /// means that none comes. Its instant may lie before `at`, if older telemetry replaced what was known.
    package func nextSilence(
        of vehicle: Vehicle, for need: SourceNeeds.VehicleNeed
    ) -> (at: Instant, length: ElapsedTime)? {
        Self.nextSilence(
            after: silences, of: need.silences, status: vehicle.status, observedAt: vehicle.observedAt)
    }

    /// The same of the fields that it depends on, for whoever does not copy a vehicle for them.
    ///
    /// - Parameters:
    ///   - passed: how many of `silences` were reported.
    ///   - silences: `SourceNeeds.VehicleNeed.silences`.
    package static func nextSilence(
        after passed: Int, of silences: [ElapsedTime], status: VehicleStatus?, observedAt: Instant?
    ) -> (at: Instant, length: ElapsedTime)? {
        guard passed < silences.count else { return nil }
        let length = silences[passed]
        let silentFrom = Vehicle.silentFrom(status, observedAt: observedAt, offlineAfter: length)
        return silentFrom.map { (at: $0, length: length) }
    }
}

extension SourceNeeds.VehicleNeed {
    /// How many of `silences` have passed at `at`: none if the vehicle may be silent, or was never heard of.
    package func silencesPassed(of vehicle: Vehicle?, at: Instant) -> Int {
        guard let vehicle else { return 0 }
        return silences.count { vehicle.isSilent(at: at, offlineAfter: $0) }
    }
}
