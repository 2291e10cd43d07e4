import Messages
import RecordLog
import StreamCore
import Timelines

/// The node of vehicles: keeps what telemetry says of each, last writer wins by `observedAt`, and lets its subscribers
/// know (`VehicleSubscribers`).
final class VehicleProcessor {
    private let settings: PipelineSettings
    private let bounds: RecordBounds
    private let vehicles = StateStore(.vehicles)
    private let subscribers: VehicleSubscribers
    private var reader = TelemetryReader()
    private var clock: TelemetryClock
    /// The stored `observedAt`, without a look at all that is known of a vehicle; `.distantPast` if it has none.
    private var newest = SlotMap<VehicleState, Instant>(absent: .distantPast)
    private var expiry: SourceExpiry<VehicleState>
    /// So many vehicles stay in the processor's caches by themselves: to ask for them costs more than it saves.
    private static let cachedMax = 20_000
    /// The hashes of the keys of records that come next.
    private var hashes: [UInt32] = []
    /// Subscriptions may be to vehicles that nothing is known of.
    private var restored = RestoreWalk<VehicleState>(.slots)
    /// The vehicle of the walk whose subscriptions did not fit into the portion.
    private var deriving: Slot<VehicleState>?

    init(_ settings: PipelineSettings) {
        self.settings = settings
        bounds = settings.recordBounds
        clock = TelemetryClock(settings)
        subscribers = VehicleSubscribers(of: vehicles, settings)
        expiry = SourceExpiry(of: vehicles, after: settings.vehicleExpiry)
        vehicles.onRelease = { [unowned self] in forget($0) }
        subscribers.onDeserted = { [unowned self] in expiry.arm($0) }
    }

    var stores: [any ChangelogStore] { [vehicles, subscribers.subscriptions] }
}

// MARK: - Telemetry

extension VehicleProcessor: RecordProcessor {
    func process(_ record: InputRecord, _ context: TaskContext) {
        do throws(MessageProblem) {
            guard let value = record.value else {
                throw MessageProblem(.unreadable, "telemetry has no tombstones")
            }
            try bounds.check(record)
            try apply(try reader.read(ConfluentFraming.skipped(value)), of: record, context)
        } catch {
            context.deadLetter(record, error, settings)
            guard let key = record.key, let vehicleId = String(validating: key, as: UTF8.self) else { return }
            context.noteUnreadable(vehicleId, at: .vehicles) { id, hash in
                markUnreadable(vehicles.slot(of: id, hash: hash), vehicleId, context)
            }
        }
    }

    func prefetch(_ records: ArraySlice<RecordView>) {
        guard vehicles.slotCount > Self.cachedMax else { return }
        hashes.removeAll(keepingCapacity: true)
        // Nearly all keys are the ids that the records name.
        for record in records { if let key = record.key { hashes.append(Murmur2.hash(key)) } }
        vehicles.prefetch(hashes) { slot in
            newest.prefetch(slot)
            subscribers.links.prefetch(slot)
        }
    }

    private func apply(
        _ telemetry: TelemetryView, of record: InputRecord, _ context: TaskContext
    ) throws(MessageProblem) {
        let id = telemetry.vehicleId.utf8
        let hash = Murmur2.hash(id)
        let owner = context.owner(of: hash)
        guard owner == context.partition else {
            try context.checkForwarding(record, of: id.count, settings)
            context.forward(record, to: owner, entity: id)
            return
        }
        let slot = vehicles.slot(of: id, hash: hash)
        let observation = clock.judge(
            record, observedAt: telemetry.observedAt, stored: newest[slot], now: context.now,
            isHeldToArrival: vehicles[slot]?.isHeldToArrival == true)
        if observation.observedAt < newest[slot] && observation.replacesFrom == nil {
            context.counters[.lateTelemetry] += 1
            expiry.heardWithoutChange(slot, context)
            return
        }
        try checkSize(telemetry, observation, of: record, slot)
        if observation.isFromFuture {
            clock.warn(
                of: record, of: slot, vehicles.key(of: slot), observedAt: telemetry.observedAt,
                arrival: observation.observedAt, context)
        }
        let change = store(telemetry, observation, of: record, slot, context)
        newest[slot] = change.observedAt ?? .distantPast
        subscribers.vehicleChanged(slot, change, of: record, context)
    }

    /// - Throws: if the vehicle would be too large with what the record says (R11).
    private func checkSize(
        _ telemetry: TelemetryView, _ observation: TelemetryClock.Observation, of record: InputRecord,
        _ slot: Slot<VehicleState>
    ) throws(MessageProblem) {
        guard let size = record.value?.count, size > settings.lightTelemetryBytesMax else { return }
        var vehicle = vehicles[slot]?.vehicle ?? Vehicle(vehicleId: String(telemetry.vehicleId))
        if observation.replacesFrom != nil { vehicle.observedAt = nil }
        _ = telemetry.apply(to: &vehicle, observedAt: observation.observedAt)
        try vehicle.check(settings)
    }

    private func store(
        _ telemetry: TelemetryView, _ observation: TelemetryClock.Observation, of record: InputRecord,
        _ slot: Slot<VehicleState>, _ context: TaskContext
    ) -> VehicleChange {
        vehicles.modify(slot) { state in
            if state == nil {
                state = VehicleState(vehicleId: String(telemetry.vehicleId))
                expiry.sourceCame(slot, context)
            }
            return update(&state!, telemetry, observation, of: record, context)
        }
    }

    private func update(
        _ state: inout VehicleState, _ telemetry: TelemetryView, _ observation: TelemetryClock.Observation,
        of record: InputRecord, _ context: TaskContext
    ) -> VehicleChange {
        state.heardAt = context.now
        if observation.replacesFrom != nil { state.vehicle.observedAt = nil }
        _ = telemetry.apply(to: &state.vehicle, observedAt: observation.observedAt)
        // Master data: what is stored was observed when this came at the latest.
        if let arrival = observation.replacesFrom, state.vehicle.observedAt == nil {
            state.vehicle.observedAt = arrival
        }
        state.isHeldToArrival = settings.telemetryFuture != nil
        let wasUnreadable = state.isUnreadable
        state.isKnown = true
        state.isUnreadable = false
        state.revision.advance()
        state.origin = record.origin
        return VehicleChange(
            status: state.vehicle.status, observedAt: state.vehicle.observedAt, wasUnreadable: wasUnreadable,
            isOfEarlierObservation: observation.replacesFrom != nil)
    }

    /// The newest record of the vehicle could not be read. That is no news by itself.
    private func markUnreadable(_ slot: Slot<VehicleState>, _ vehicleId: String, _ context: TaskContext) {
        guard vehicles[slot]?.isUnreadable != true else { return expiry.heardWithoutChange(slot, context) }
        vehicles.modify(slot) { state in
            if state == nil {
                state = VehicleState(vehicleId: vehicleId)
                expiry.sourceCame(slot, context)
            }
            state!.heardAt = context.now
            state!.isUnreadable = true
            state!.revision.advance()
        }
        subscribers.vehicleBecameUnreadable(slot, context)
    }
}

// MARK: - Subscriptions

extension VehicleProcessor: MessageProcessor {
    func receive(_ message: SourceMessage, for entity: UnsafeRawBufferPointer, _ context: TaskContext) {
        let vehicle = vehicles.slot(of: entity)
        let vehicleId = String(decoding: entity, as: UTF8.self)
        switch message {
        case .unreadable: markUnreadable(vehicle, vehicleId, context)
        case .request(let request, let subscriber):
            subscribers.receive(request, from: subscriber, of: vehicle, vehicleId, context)
        }
    }
}

extension VehicleProcessor: Punctuator, ClockFollower, CatchUpProcessor, ConflatingProcessor {
    var nextDue: Instant? { earlier(expiry.nextDue, subscribers.nextDue) }

    func punctuate(_ context: TaskContext) {
        subscribers.punctuate(context)
        expiry.punctuate(context) { subscribers.hasSubscribers($0) }
    }

    func count(_ load: inout TimerLoad) {
        expiry.count(&load)
        subscribers.count(&load)
    }

    func clockWentBack(_ context: TaskContext, _ step: ClockStep) {
        if settings.concerns(step) { subscribers.clockWentBack(context) }
    }

    func bringUp(_ context: TaskContext) { subscribers.bringUp(context) }

    var hasMoreToFlush: Bool { subscribers.hasMoreToFlush }

    var hasNews: Bool { subscribers.hasNews }

    func flush(_ context: TaskContext) { subscribers.flush(context) }
}

// MARK: - Derived from state

extension VehicleProcessor: DerivingProcessor, TransactionObserver {
    func finishRestore(_ context: TaskContext, _ portion: inout Int) -> Bool {
        guard subscribers.linkRestored(&portion) else { return false }
        while let slot = deriving ?? restored.next(in: vehicles, &portion) {
            deriving = slot
            guard subscribers.deriveRestored(of: slot, &portion) else { return false }
            deriving = nil
            if vehicles.hasValue(slot) {
                rederive(slot)
                expiry.arm(slot)
            }
        }
        guard restored.isDone(in: vehicles) else { return false }
        subscribers.finishRestore()
        return true
    }

    func committed(_ context: TaskContext) {
        clock.committed()
        expiry.committed()
        subscribers.committed()
    }

    func reverted(_ context: TaskContext) {
        clock.reverted()
        expiry.reverted()
        for slot in vehicles.reverted { rederive(slot) }
        subscribers.reverted()
    }

    private func rederive(_ slot: Slot<VehicleState>) {
        newest[slot] = vehicles[slot]?.vehicle.observedAt ?? .distantPast
    }

    private func forget(_ released: ReleasedSlots<VehicleState>) {
        newest.forget(released)
        clock.forget(released)
        expiry.forget(released)
        subscribers.forget(released)
    }
}
