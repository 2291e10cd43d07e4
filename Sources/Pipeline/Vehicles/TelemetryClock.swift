import RecordLog
import StreamCore
import Timelines

/// Telemetry from the future: a tracker whose clock is wrong does not freeze its vehicle (T16).
///
/// A record whose `observedAt` lies further after its arrival than `PipelineSettings.telemetryFuture` counts as
/// observed at its arrival. Its vehicle is warned of by name, once.
struct TelemetryClock {
    /// A record's `observedAt`, held against its arrival.
    struct Observation {
        /// The instant that the record counts as observed at.
        var observedAt: Instant
        /// The record is from the future, and counts as observed at its arrival.
        var isFromFuture: Bool
        /// The arrival of this record, if what is stored is from the future and yields to it; `nil` if what is stored
        /// stays.
        var replacesFrom: Instant?
    }

    private let future: ElapsedTime?
    /// Vehicles that were warned of by name.
    private var warned: Set<Slot<VehicleState>> = []
    /// The vehicles that were warned of by this transaction.
    private var warnedNow: [Slot<VehicleState>] = []

    init(_ settings: PipelineSettings) {
        future = settings.telemetryFuture
    }

    /// - Parameters:
    ///   - observedAt: the record's own.
    ///   - stored: that of its vehicle; `.distantPast` if the vehicle has none.
    ///   - isHeldToArrival: whether `stored` was held against an arrival; asked only if that decides.
    func judge(
        _ record: InputRecord, observedAt: Instant, stored: Instant, now: Instant,
        isHeldToArrival: @autoclosure () -> Bool
    ) -> Observation {
        guard let future else {
            return Observation(observedAt: observedAt, isFromFuture: false, replacesFrom: nil)
        }
        let arrival = record.timestamp.milliseconds > 0 ? min(record.timestamp, now) : now
        let latest = arrival + future
        let isFromFuture = observedAt > latest
        var replacesFrom: Instant?
        // An old record that comes late, perhaps of another partition, says nothing against what was held against an
        // arrival of its own; but then the clock may have gone back since.
        if stored > latest && (stored > now + future || !isHeldToArrival()) { replacesFrom = arrival }
        return Observation(
            observedAt: isFromFuture ? arrival : observedAt, isFromFuture: isFromFuture, replacesFrom: replacesFrom)
    }

    /// Counts a record from the future that is used, and warns once for its vehicle. A record that could not be named
    /// in this transaction leaves the warning to the next one.
    ///
    /// - Parameters:
    ///   - observedAt: the record's own.
    ///   - arrival: the instant that it counts as observed at.
    mutating func warn(
        of record: InputRecord, of vehicle: Slot<VehicleState>, _ vehicleId: @autoclosure () -> String,
        observedAt: Instant, arrival: Instant, _ context: TaskContext
    ) {
        context.counters[.futureTelemetry] += 1
        guard !warned.contains(vehicle) else { return }
        let subject = "vehicle \(vehicleId().prefix(bytes: 200))"
        let isNamed = context.warn(
            of: record, about: subject,
            """
            \(subject) says that it was observed at \(observedAt.rfc3339), which is \
            in the future: such telemetry counts as observed at its arrival, this one at \(arrival.rfc3339) \
            (telemetry.future; said once for each vehicle)
            """)
        guard isNamed else { return }
        warned.insert(vehicle)
        warnedNow.append(vehicle)
    }

    /// Forgets vehicles that were removed: one of that name is warned of anew.
    mutating func forget(_ released: ReleasedSlots<VehicleState>) {
        if !warned.isEmpty { warned.subtract(released.slots) }
    }

    mutating func committed() { warnedNow.removeAll() }

    mutating func reverted() {
        warned.subtract(warnedNow)
        warnedNow.removeAll()
    }
}
