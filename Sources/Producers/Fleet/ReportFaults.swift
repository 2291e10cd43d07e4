import Messages
import SplitMix
import Timelines

/// The faults between one vehicle's tracker and the topic. The same seed gives the same faults.
struct ReportFaults {
    private var generator: SplitMix64
    /// The number of reports until the next broken one.
    private var untilBroken: Int
    /// The time by which the tracker's clock is wrong.
    private let clockError: ElapsedTime

    /// The share of late reports of vehicles on their way, and by how many seconds they are late.
    private static let late = (share: 0.02, seconds: 5...40)
    private static let duplicates = (share: 0.005, seconds: 0...2)
    private static let betweenBroken = 200...600
    /// One vehicle of this many has a wrong clock.
    private static let clocks = (every: 100, first: 16)
    /// A clock that was never set, one three hours behind, one two hours ahead.
    private static let clockErrors = [
        ElapsedTime.hours(70 * 365 * 24), ElapsedTime(milliseconds: -3 * 3_600_000), ElapsedTime.hours(2),
    ]

    init(index: Int, seed: UInt64) {
        generator = SplitMix64(seed: seed, stream: UInt64(index) | 1 << 60)
        // The first ones come soon, and one after the other, so that whoever looks on for a minute sees some.
        untilBroken = 10 + index * 17 % 400
        clockError =
            index % Self.clocks.every == Self.clocks.first
            ? Self.clockErrors[index / Self.clocks.every % 3] : .zero
    }

    /// The records of a report as they arrive: it may be late, come twice, or be broken.
    mutating func records(of report: FleetVehicle.Report, at now: Instant) -> [SourceRecord] {
        var message = report.message
        message.observedAt = message.observedAt + clockError
        var due = now
        if report.isDriving, generator.happens(Self.late.share) {
            due = now + .seconds(Int64(generator.integer(in: Self.late.seconds)))
        }
        var record = SourceRecord(message, due: due)
        untilBroken -= 1
        if untilBroken <= 0 {
            untilBroken = generator.integer(in: Self.betweenBroken)
            breakUp(&record)
        }
        guard generator.happens(Self.duplicates.share) else { return [record] }
        var duplicate = record
        duplicate.due = due + .seconds(Int64(generator.integer(in: Self.duplicates.seconds)))
        return [record, duplicate]
    }

    private mutating func breakUp(_ record: inout SourceRecord) {
        guard let value = record.value else { return }
        let text = String(decoding: value, as: UTF8.self)
        switch generator.integer(in: 0...2) {
        // The connection broke off.
        case 0: record.value = Array(value.prefix(value.count * 2 / 3))
        // A new release of the tracker's software.
        case 1: record.value = Array(text.replacing(#""observedAt":"#, with: #""observed":"#).utf8)
        default: record.value = Array(text.replacing(#""speed":"#, with: #""speed":"fast","was":"#).utf8)
        }
    }
}
