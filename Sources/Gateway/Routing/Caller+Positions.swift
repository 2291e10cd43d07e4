package import Access

extension Caller {
    /// True if a reader's positions in a configuration exist for this caller, over routes and in streams alike.
    ///
    /// A caller that is confined to readers sees their positions everywhere. One that is confined to recipients, too,
    /// sees them in the timelines of its recipients alone: titles and places of entries are part of a position.
    ///
    /// - Parameter recipient: the configuration's; `nil` if nobody knows the configuration.
    package func maySeePositions(of readerId: String, ofRecipient recipient: String?) -> Bool {
        readers.contains(readerId) && recipients.letsPositionsThrough(ofRecipient: recipient)
    }
}

extension Confinement {
    /// True if the confinement to recipients does not hide positions in a configuration of this recipient.
    func letsPositionsThrough(ofRecipient recipient: String?) -> Bool {
        // A token that names readers alone has no recipient at all.
        guard case .only(let allowed) = self, !allowed.isEmpty else { return true }
        return recipient.map { contains($0) } ?? false
    }
}
