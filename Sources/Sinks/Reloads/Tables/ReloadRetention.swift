import Messages
package import RecordLog

/// How long rows of reloads stay. Those that are older go with the next batch, in its transaction.
package struct ReloadRetention {
    private let age: Duration?
    private let now: () -> Instant

    /// So many rows are removed with one batch, at most, so that none takes long. It is more than a batch has.
    static let portion = 10_000

    /// - Parameters:
    ///   - age: counted from `issuedAt`; `nil` keeps them for ever.
    ///   - now: the time, by the clock of the day.
    package init(age: Duration?, now: @escaping () -> Instant) {
        self.age = age
        self.now = now
    }

    /// What was issued before it is too old; `nil` if nothing is.
    var begin: Instant? { age.map { now() - ElapsedTime($0) } }

    /// True if a reload is too old to be written at all.
    func isOver(_ row: ReloadRow) -> Bool { begin.map { row.fields.issuedAt < $0 } ?? false }
}
