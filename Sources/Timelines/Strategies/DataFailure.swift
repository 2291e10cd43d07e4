/// Why the data of a timeline counts as failed (T26).
enum DataFailure: Hashable {
    case vehicleUnknown(String)
    case silent(String)
    case unreadable

    var message: TimelineEntry.Message {
        switch self {
        case .vehicleUnknown(let id): .init("Nothing was heard of vehicle \(id) yet.", code: .vehicleUnknown)
        case .silent(let id): .init("Vehicle \(id) has fallen silent.", code: .silent)
        case .unreadable: .init("The newest data could not be read.", code: .unreadable)
        }
    }
}

extension TimelineRequest {
    /// What failed, the first of these: the vehicle that the configuration names was not heard of, it is silent for
    /// `offlineAfter` and not `IgnitionOff`, the newest record of it or of a calendar named could not be read. A
    /// calendar of which nothing was heard is an empty calendar.
    func failure(offlineAfter: ElapsedTime) -> DataFailure? {
        if let vehicleId = configuration.chosenVehicle {
            guard let vehicle, vehicle.hasBeenHeardOf else { return .vehicleUnknown(vehicleId) }
            if vehicle.isSilent(at: at, offlineAfter: offlineAfter) { return .silent(vehicleId) }
        }
        return hasUnreadableSource ? .unreadable : nil
    }
}
