import Messages
import RecordLog
import StreamCore
import Timelines

/// Writes reloads to their topic: one record names a recipient's configurations of one kind, as many as fit.
struct ReloadWriter {
    private let headers: CloudEventHeaders
    /// A recipient may have more configurations than one record can name (R11).
    private let namedBytesMax: Int

    /// One configuration of a reload.
    struct Change {
        var configurationId: String
        var offer: ReloadOffer
        /// The budget after the reload.
        var budget: ReloadBudget
    }

    init(_ settings: PipelineSettings) {
        headers = CloudEventHeaders(source: settings.eventSource)
        namedBytesMax = settings.reloadIdsBytesMax
    }

    /// - Parameter changes: in the order of the configurations' ids; without any nothing is written.
    func write(_ changes: [Change], of key: ReloadKey, _ context: TaskContext) {
        var part: [Change] = []
        var bytes = 0
        for change in changes {
            let size = change.configurationId.jsonBytes + 8
            if bytes + size > namedBytesMax && !part.isEmpty {
                writeRecord(part, key, context)
                part = []
                bytes = 0
            }
            part.append(change)
            bytes += size
        }
        if !part.isEmpty { writeRecord(part, key, context) }
    }

    private func writeRecord(_ part: [Change], _ key: ReloadKey, _ context: TaskContext) {
        guard let reason = part.map(\.offer.reason).max(), let revision = part.map(\.offer.revision).max(),
            let budget = part.map(\.budget).min(by: { $0.isTighter(than: $1) })
        else { preconditionFailure("A reload names a configuration.") }
        let notification = ReloadNotification(
            recipient: key.recipient, kind: key.kind, configurationIds: part.map(\.configurationId), reason: reason,
            revision: revision, issuedAt: context.now, budget: budget)
        context.counters.count(.sent, kind: key.kind, reason)
        var json = JSONWriter()
        notification.write(to: &json)
        let trace = context.traceParent(
            ofSending: .reloads, key: key.recipient, because: part.lazy.compactMap(\.offer.traceParent).first)
        let headers = headers.reload(notification, traceParent: trace)
        var recipient = notification.recipient
        recipient.withUTF8 { key in
            json.withUnsafeBytes { value in
                context.emit(
                    .reloads, key: UnsafeRawBufferPointer(key), value: value, headers: headers.map { Header($0) })
            }
        }
    }
}

extension ReloadBudget {
    /// Fewer tokens are tighter; of equally many, those that take longer to be full again.
    fileprivate func isTighter(than other: ReloadBudget) -> Bool {
        remaining == other.remaining ? resetsAt > other.resetsAt : remaining < other.remaining
    }
}
