import RecordLog

/// The note beside a committed offset that says who wrote here last, and whether that owner may still do so (R4, R15).
///
/// From format 3 on it is `<transactional id> <commit number> open|released`. The number rises with each commit of the
/// thread; `released` is what the last commit before an orderly end writes. Up to format 2 it is the plain id, which
/// counts as open.
struct Claim: Hashable {
    var transactionalId: String
    /// `nil` up to format 2.
    var number: Int64?
    var isReleased: Bool

    init(transactionalId: String, number: Int64, isReleased: Bool) {
        self.transactionalId = transactionalId
        self.number = number
        self.isReleased = isReleased
    }

    /// - Returns: `nil` if the text is no claim of a thread whose transactional id has the prefix.
    init?(_ metadata: String, prefix: String) {
        guard metadata.hasPrefix(prefix) else { return nil }
        let fields = metadata.split(separator: " ", omittingEmptySubsequences: false)
        transactionalId = String(fields[0])
        if fields.count == 1 {
            number = nil
            isReleased = false
            return
        }
        guard fields.count == 3, let number = Int64(fields[1]), fields[2] == "open" || fields[2] == "released" else {
            return nil
        }
        self.number = number
        isReleased = fields[2] == "released"
    }

    /// - Parameter format: of the task's state; up to 2 the number is left out.
    func text(format: UInt8) -> String {
        guard format >= 3, let number else { return transactionalId }
        return "\(transactionalId) \(number) \(isReleased ? "released" : "open")"
    }
}
