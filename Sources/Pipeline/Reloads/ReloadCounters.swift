package import Messages
package import StreamCore
import Timelines

/// The fates of changes, counted by kind and reason.
///
/// Some changes *seen* are *suppressed*, because nobody has to be told; the others are *visible* and offered to
/// their recipient. What was offered is *announced*, *replaced* by a later offer, *dropped* because the old content is
/// visible again or was seen anyway, or still waits, perhaps *held* for want of a token. *Sent* are the reloads: one
/// may announce several configurations.
package enum ReloadCount: String, CaseIterable, Sendable {
    /// A timeline with other content than the one before, for whatever reason.
    case seen
    /// Offered to its recipient, requests included.
    case visible
    case suppressed
    case replaced
    case held
    case dropped
    case announced
    case sent
}

extension TaskCounters {
    mutating func count(_ count: ReloadCount, kind: String, _ reason: ReloadNotification.Reason, by amount: Int = 1) {
        add(amount, to: count.rawValue, kind, reason.rawValue)
    }

    /// The rows by kind (UTF-8 bytes), then reason, the strongest first; a pair that was never counted has no row.
    package var reloads: [ReloadCounters] {
        var rows: [String: [ReloadNotification.Reason: ReloadCounters]] = [:]
        for (key, amount) in labelled {
            guard let count = ReloadCount(rawValue: key.name),
                let reason = ReloadNotification.Reason(rawValue: key.other)
            else { continue }
            let kind = key.label
            rows[kind, default: [:]][reason, default: ReloadCounters(kind: kind, reason: reason)].amounts[count] =
                amount
        }
        return rows.values.flatMap(\.values).sorted { left, right in
            left.kind == right.kind ? left.reason > right.reason : left.kind.precedesByUTF8(right.kind)
        }
    }
}

/// A row of the account: of one kind, for one reason.
package struct ReloadCounters: Hashable, Sendable {
    package var kind: String
    package var reason: ReloadNotification.Reason
    fileprivate var amounts: [ReloadCount: Int] = [:]

    fileprivate init(kind: String, reason: ReloadNotification.Reason) {
        self.kind = kind
        self.reason = reason
    }

    package subscript(count: ReloadCount) -> Int { amounts[count] ?? 0 }
}
