import Messages
import RecordLog

extension ReloadSinkRunner {
    /// What is too old to be sent is settled: a dead letter where it has failed for its own sake, else nothing.
    ///
    /// Who does not conflate is told everything, however old. There a failure is the parcel's own only where others
    /// were delivered meanwhile, so that an outage of a day costs nothing.
    ///
    /// - Returns: whether it was.
    func dropsForAge(_ parcel: DeliveryLanes<Destination.Content>.Parcel, by host: String) -> Bool {
        var isOver = destination.conflates && Duration(clock.wall - parcel.newest) > settings.ageMax
        if let failure = parcel.failure, clock.now - failure.since >= settings.ageMax {
            isOver = isOver || destination.conflates || deliveredAt[host].map { $0 > failure.since } ?? false
        }
        guard isOver else { return false }
        if let failure = parcel.failure {
            let reason = "could not be sent for \(settings.ageMax): \(failure.reason)"
            deadLetter(parcel.records, MessageProblem(.notAllowed, reason))
        } else {
            summary.tooOld += parcel.records.count
        }
        return true
    }
}
