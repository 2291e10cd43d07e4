import Messages
import RecordLog
import SimulatedDays
import Timelines

/// A day as it was told, which can be told again with something changed.
final class Recording: DayObserver {
    enum Told {
        case timeline(TimelineRecord, at: Instant)
        case reload(AnnouncedReload)
        case end(Instant)
    }

    private(set) var told: [Told] = []
    private var parser = JSONParser()

    func timeline(key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?, headers: [Header], at: Instant) {
        guard let value, let record = try? TimelineRecord.decode(value, with: &parser) else { return }
        told.append(.timeline(record, at: at))
    }

    func reload(key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, headers: [Header], at: Instant) {
        guard let reload = AnnouncedReload(value, with: &parser) else { return }
        told.append(.reload(reload))
    }

    func endInstant(_ at: Instant) { told.append(.end(at)) }

    /// Which rules the checker finds broken when reloads are told like this; a reload may become none or several, at
    /// instants that are not before its own.
    func breaches(
        until end: Instant, kinds: [WidgetKind] = FleetDay.kinds, _ change: (AnnouncedReload) -> [AnnouncedReload]
    ) -> [Breach.Rule: Int] {
        let checker = ReloadChecker(kinds: kinds)
        var later: [AnnouncedReload] = []
        func announce(until at: Instant) {
            let due = later.filter { $0.issuedAt < at }.sorted { $0.issuedAt < $1.issuedAt }
            later.removeAll { $0.issuedAt < at }
            for reload in due {
                checker.announce(reload)
                checker.endInstant(reload.issuedAt)
            }
        }
        for each in told {
            switch each {
            case .timeline(let record, let at):
                announce(until: at)
                checker.publish(record, at: at)
            case .reload(let reload):
                announce(until: reload.issuedAt)
                for changed in change(reload) {
                    if changed.issuedAt == reload.issuedAt { checker.announce(changed) } else { later.append(changed) }
                }
            case .end(let at):
                announce(until: at)
                checker.endInstant(at)
            }
        }
        announce(until: end + .seconds(1))
        checker.end(end)
        return checker.breachCounts
    }
}
