/// The order of snapshots. One total order serves the merge and every bound, so that it never matters which of them
/// comes first: what a bound drops could not have stayed after a merge either.
extension PositionSnapshot {
    /// True if the snapshot is the newer one. Of one instant the one that is further ahead counts as newer; of one
    /// place the one that says more. Two different snapshots are never both newer, nor neither.
    func isNewer(than other: PositionSnapshot) -> Bool {
        if observedAt != other.observedAt { return observedAt > other.observedAt }
        let side =
            progress(against: other) ?? offset.order(to: other.offset) ?? index.order(to: other.index)
            ?? (title?.bytes).order(to: other.title?.bytes) ?? (location?.bytes).order(to: other.location?.bytes)
            ?? (restorationMethod?.rawValue.bytes).order(to: other.restorationMethod?.rawValue.bytes)
            ?? toldAt.order(to: other.toldAt)
        return side == .after
    }

    /// True if the snapshot is further on in the timeline: later by `entryDate`, then by `entryId`, then by `fraction`.
    /// A part that is not known counts as the earliest.
    public func isAhead(of other: PositionSnapshot) -> Bool {
        progress(against: other) == .after
    }

    private func progress(against other: PositionSnapshot) -> Side? {
        entryDate.order(to: other.entryDate) ?? Optional(entryId.bytes).order(to: other.entryId.bytes)
            ?? fraction.order(to: other.fraction)
    }
}

extension EntryMark {
    /// True if the mark stands before another: the newer first, then by entryId.
    func precedes(_ other: EntryMark) -> Bool {
        at == other.at ? entryId.precedesByUTF8(other.entryId) : at > other.at
    }
}

/// True if a device stands before another: the absent name first, then by UTF-8 bytes.
func precedes(_ device: String?, _ other: String?) -> Bool {
    device?.bytes.order(to: other?.bytes) == .before || device == nil && other != nil
}

func isSameDevice(_ device: String?, _ other: String?) -> Bool {
    switch (device, other) {
    case (nil, nil): true
    case (let device?, let other?): device.isSameByUTF8(as: other)
    default: false
    }
}

/// On which side of another a value stands; `nil` beside it means that both are the same.
private enum Side { case before, after }

/// The bytes of a text, which compare where Swift's own texts know canonical equivalence.
private struct Bytes: Comparable {
    var text: String

    static func == (left: Bytes, right: Bytes) -> Bool { left.text.isSameByUTF8(as: right.text) }
    static func < (left: Bytes, right: Bytes) -> Bool { left.text.precedesByUTF8(right.text) }
}

extension String {
    fileprivate var bytes: Bytes { Bytes(text: self) }
}

extension Comparable {
    fileprivate func order(to other: Self?) -> Side? { Optional(self).order(to: other) }
}

extension Optional where Wrapped: Comparable {
    fileprivate func order(to other: Wrapped?) -> Side? {
        switch (self, other) {
        case (nil, nil): nil
        case (nil, _?): .before
        case (_?, nil): .after
        case (let left?, let right?): left == right ? nil : left < right ? .before : .after
        }
    }
}
