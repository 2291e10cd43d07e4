import StreamCore
import Timelines

/// A configuration's subscription at its vehicle, with the last update that it was sent.
struct VehicleSubscription: StateValue {
    var version: SubscriptionVersion
    var need: SourceNeeds.VehicleNeed
    var sensitivity: WidgetConfiguration.Sensitivity?
    /// `nil` if no update was sent yet.
    var lastUpdate: Update?

    /// An update as far as the next one depends on it.
    struct Update {
        var report: VehicleReport
        var isUnreadable: Bool
        var revision: SourceRevision
        /// When the refresh is due; `nil` if the configuration has a timer of its own.
        var refreshDue: Instant?
        /// `VehicleState.heavyBytes` as it was sent.
        var heavyBytes = 0
    }

    init(version: SubscriptionVersion, need: SourceNeeds.VehicleNeed, sensitivity: WidgetConfiguration.Sensitivity?) {
        self.version = version
        self.need = need
        self.sensitivity = sensitivity
    }

    func encode(into writer: inout ByteWriter) {
        version.encode(into: &writer)
        SubscriptionTerms(timeZone: "", vehicle: need, sensitivity: sensitivity).encode(into: &writer)
        writer.write(optional: lastUpdate) { writer, update in
            writer.write(update.report.at)
            writer.write(update.report.status.map { $0.number } ?? 0)
            writer.write(count: update.report.silences)
            writer.write(update.isUnreadable)
            update.revision.encode(into: &writer)
            writer.write(optional: update.report.vehicle) { $0.write($1) }
            writer.write(optional: update.refreshDue)
        }
        // What follows is not read by releases before it, and not written by them.
        if let lastUpdate, lastUpdate.heavyBytes > 0 { writer.write(count: lastUpdate.heavyBytes) }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        version = try SubscriptionVersion(from: &reader)
        let terms = try SubscriptionTerms(from: &reader)
        guard let need = terms.vehicle else { throw CorruptBytes("a vehicle subscription without a vehicle") }
        self.need = need
        sensitivity = terms.sensitivity
        if try reader.bool() {
            let at = try reader.instant()
            let status = try VehicleStatus(number: reader.byte())
            let silences = Int(try reader.varint())
            let isUnreadable = try reader.bool()
            let revision = try SourceRevision(from: &reader)
            let vehicle = try reader.bool() ? try reader.vehicle() : nil
            lastUpdate = Update(
                report: VehicleReport(at: at, status: status, silences: silences, vehicle: vehicle),
                isUnreadable: isUnreadable, revision: revision, refreshDue: try reader.optionalInstant())
            if !reader.isAtEnd { lastUpdate!.heavyBytes = Int(try reader.varint()) }
        }
    }
}

/// The change that a record made to a vehicle.
struct VehicleChange {
    var status: VehicleStatus?
    var observedAt: Instant?
    /// The record before could not be read.
    var wasUnreadable: Bool
    /// The vehicle counts as observed earlier than before: it falls silent earlier than was reckoned with.
    var isOfEarlierObservation: Bool
}

/// The part of the last update that a change is compared with first, because it decides for most telemetry.
struct UpdateSummary {
    private let status: VehicleStatus?
    /// The first silence.
    private let offlineAfter: ElapsedTime
    /// The status does not decide alone: there is a sensitivity, or a silence that may be shorter now.
    let needsFullComparison: Bool
    /// The size of the vehicle if timelines with it may have been too large; else 0.
    let heavyBytes: Int

    /// The value is read in its place, where `slot` has one; nothing of it is copied, as `need.offlineAfter` would.
    ///
    /// - Returns: `nil` if no update was sent yet.
    init?(of slot: Slot<VehicleSubscription>, in store: StateStore<VehicleSubscription>) {
        guard let silences = store[slot]?.lastUpdate?.report.silences,
            let offlineAfter = store[slot]?.need.silences.first
        else { return nil }
        status = store[slot]?.lastUpdate?.report.status
        self.offlineAfter = offlineAfter
        needsFullComparison = silences > 0 || store[slot]?.sensitivity != nil
        heavyBytes = store[slot]?.lastUpdate?.heavyBytes ?? 0
    }

    /// True if the status alone makes the change news.
    func isNews(_ change: VehicleChange, at now: Instant) -> Bool {
        let new = VehicleStatus.effective(
            change.status, observedAt: change.observedAt, at: now, offlineAfter: offlineAfter)
        return new != status
    }
}
