import RecordLog
import StreamCore
import Timelines

/// Telemetry from the future: a tracker whose clock is wrong does not freeze its vehicle.
extension VehicleProcessor {
    /// A record's `observedAt`, held against its arrival.
    struct Observation {
        /// Milliseconds since 1970.
        var observedAt: Int64
        /// The record is from the future, and counts as observed at its arrival.
        var isFromFuture: Bool
        /// What is stored is from the future, and yields to this record: from its arrival on. Nil: it stays.
        var replacesFrom: Int64?
    }

    /// - Parameters:
    ///   - observedAt: as the record says.
    ///   - stored: of its vehicle; `.min`: none.
    func judge(_ record: InputRecord, observedAt: Int64, slot: Int, stored: Int64, now: Int64) -> Observation {
        guard let future = settings.telemetryFuture?.milliseconds else {
            return Observation(observedAt: observedAt, isFromFuture: false, replacesFrom: nil)
        }
        let arrival = record.timestamp > 0 ? min(record.timestamp, now) : now
        let latest = arrival + future
        let isFromFuture = observedAt > latest
        var replacesFrom: Int64?
        // An old record that comes late, perhaps of another partition, says nothing against what was held against an
        // arrival of its own; but then the clock may have gone back since.
        if stored > latest && (stored > now + future || vehicles[slot]?.isHeldToArrival != true) {
            replacesFrom = arrival
        }
        return Observation(
            observedAt: isFromFuture ? arrival : observedAt, isFromFuture: isFromFuture, replacesFrom: replacesFrom)
    }

    /// Counts a record that is used, and says so once for its vehicle. One that could not be named in this
    /// transaction is with the next such record.
    func noteFuture(
        _ record: InputRecord, slot: Int, said observedAt: Instant, arrival: Int64, _ context: TaskContext
    ) {
        context.counters.fromFuture += 1
        guard !warned.contains(slot) else { return }
        let arrival = Instant(milliseconds: arrival)
        let subject = "vehicle \(vehicles.key(of: slot).prefix(200))"
        let isNamed = context.warn(
            of: record, about: subject,
            """
            \(subject) says that it was observed at \(observedAt.rfc3339), which is \
            in the future: such telemetry counts as observed at its arrival, this one at \(arrival.rfc3339) \
            (telemetry.future; said once for each vehicle)
            """)
        guard isNamed else { return }
        warned.insert(slot)
        warnedNow.append(slot)
    }
}
