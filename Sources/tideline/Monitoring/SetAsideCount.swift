import Diagnosis
import Observability

/// A count of records that were set aside, told while it has risen lately.
struct SetAsideCount {
    private var count = 0
    /// The count before it began to rise, and when it last rose; `nil` before the first time.
    private var before = 0
    private var risen: Duration?
    /// What has not come again for so long is told no more: the alerts look as far back.
    private static let memory = Duration.seconds(600)

    /// Takes the count of now, of a process that counts from its start.
    mutating func note(_ count: Int, now: Duration) {
        guard count > self.count else { return }
        if !isTold(now: now) { before = self.count }
        (self.count, risen) = (count, now)
    }

    /// - Parameter words: where the records are from, or why they were set aside.
    /// - Returns: a sentence with the number; `nil` if none was set aside lately.
    func notice(_ words: String, now: Duration) -> HealthProblem? {
        guard let risen, isTold(now: now) else { return nil }
        let number = count - before
        return HealthProblem(
            "dead-letters",
            "\(number.counted("record")) \(words), the last \((now - risen).shortText) ago: "
                + "'tideline dead-letters list' says why")
    }

    private func isTold(now: Duration) -> Bool { risen.map { now - $0 < Self.memory } ?? false }
}
