public import Foundation

extension Instant {
    /// The instant of a date, to the nearest millisecond.
    ///
    /// - Precondition: the date is finite, and its milliseconds fit into 64 bits.
    public init(_ date: Date) {
        let sinceReference = (date.timeIntervalSinceReferenceDate * 1000).rounded()
        self.init(milliseconds: Int64(sinceReference) + Instant.millisecondsOfReferenceDate)
    }

    /// 2001-01-01T00:00:00Z, from which dates count: to go over 1970 would round once more.
    fileprivate static let millisecondsOfReferenceDate: Int64 = 978_307_200_000
}

extension Date {
    /// The date nearest to an instant. In the years 0001 to 9999, `Instant(Date(instant))` is the same instant.
    public init(_ instant: Instant) {
        let sinceReference = instant.milliseconds - Instant.millisecondsOfReferenceDate
        self.init(timeIntervalSinceReferenceDate: Double(sinceReference) / 1000)
    }
}
