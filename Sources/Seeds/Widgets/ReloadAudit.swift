import Messages
import RecordLog
import Simulation
import Timelines

/// What the committed reloads cost.
struct ReloadAudit {
    private let limit: Int
    /// By configuration and recipient: when reloads were paid for, by the clocks of those who issued them.
    private var paid: [String: [Instant]] = [:]
    /// By recipient: the most reloads of one of its configurations that were paid for in a day before one of them.
    private var most: [String: (count: Int, id: String)] = [:]

    init(limit: Int) { self.limit = limit }

    mutating func take(_ reload: ReloadNotification) {
        for id in reload.configurationIds {
            if reload.reason == .requested || reload.reason == .configurationChanged { continue }
            paid["\(id) \(reload.recipient)", default: []].append(reload.issuedAt)
            let count = paid["\(id) \(reload.recipient)", default: []].count {
                // What a clock that was ahead dated later is of another day, as far as anybody can tell.
                reload.issuedAt - $0 < .hours(24) && $0 - reload.issuedAt < .hours(24)
            }
            if count > most[reload.recipient]?.count ?? 0 { most[reload.recipient] = (count, id) }
        }
    }

    /// Judges the day with the most reloads.
    ///
    /// - Parameter refills: by recipient, how often a clock may have gone forward in its bucket's eyes: each time it
    ///   may have been filled anew; `nil` if all clocks were right.
    func judge(refills: (String) -> Int?) -> [Symptom] {
        most.sorted { $0.key < $1.key }.compactMap { recipient, day in
            // Clocks that differ by some seconds may add up to a part of a token.
            let allowed = limit + (refills(recipient).map { 1 + $0 * (limit / 2) } ?? 0)
            guard day.count > allowed else { return nil }
            return Symptom(.overBudget, "\(day.count) reloads of \(day.id) in a day, at most \(allowed)")
        }
    }
}
