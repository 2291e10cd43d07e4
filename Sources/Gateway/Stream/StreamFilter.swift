import Access
import Timelines

/// What a stream of server-sent events carries: the types and the filter that the client asked for, within what the
/// caller may see.
package struct StreamFilter: Sendable {
    package enum EventType: String, CaseIterable, Sendable {
        case timelines, reloads, positions
    }

    var types: [EventType]
    var configurationId: String?
    var recipient: String?
    var kind: String?
    /// Positions of this reader only; other events are not of readers.
    var readerId: String?
    var recipients: Confinement
    var readers: Confinement

    func wantsTimeline(_ id: String, recipient: String, kind: String) -> Bool {
        types.contains(.timelines) && isNamed(configurationId, id) && isNamed(self.kind, kind) && mayHear(of: recipient)
    }

    func wants(_ reload: StoredReload) -> Bool {
        guard types.contains(.reloads), isNamed(kind, reload.kind), mayHear(of: reload.recipient) else { return false }
        return configurationId == nil || reload.configurationIds.contains { isNamed(configurationId, $0) }
    }

    /// - Parameters:
    ///   - recipient: the configuration's; `nil` if it is not known.
    ///   - kind: the configuration's; `nil` if it is not known.
    func wantsPosition(of readerId: String, in id: String, recipient: String?, kind: String?) -> Bool {
        guard types.contains(.positions), isNamed(configurationId, id), isNamed(self.readerId, readerId),
            readers.contains(readerId), recipients.letsPositionsThrough(ofRecipient: recipient)
        else { return false }
        if let wanted = self.kind, wanted != kind { return false }
        guard let wanted = self.recipient else { return true }
        return recipient.map { $0.isSameByUTF8(as: wanted) } ?? false
    }

    private func mayHear(of recipient: String) -> Bool {
        isNamed(self.recipient, recipient) && recipients.contains(recipient)
    }

    private func isNamed(_ wanted: String?, _ text: String) -> Bool {
        wanted.map { $0.isSameByUTF8(as: text) } ?? true
    }
}
