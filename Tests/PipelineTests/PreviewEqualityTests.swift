import Foundation
import Messages
import Preview
import TestSupport
import Testing
import Timelines

/// What `preview --until` shows is what the pipeline publishes: both are given one day of the same records, on the day
/// on which Berlin's clocks go forward, and write the same timelines to the byte, all but their sources and
/// the reloads that are left.
@Suite("Preview and pipeline make the same timelines")
struct PreviewEqualityTests {
    static let start = "2026-03-28T22:30:00Z"
    static let end = "2026-03-29T22:30:00Z"

    static let names = TimelineStrategies.all.map { $0.name }

    @Test("over a simulated day, for every strategy", arguments: names)
    func day(strategy: String) async throws {
        let day = SimulatedDay(of: strategy, from: at(Self.start), until: at(Self.end))
        let previewed = try day.preview()
        let published = try await day.publish(stoppingAt: previewed.instants)
        for configuration in previewed.lines.keys.sorted() {
            let (expected, found) = (previewed.lines[configuration] ?? [], published[configuration] ?? [])
            let same = zip(expected, found).prefix { $0 == $1 }.count
            #expect(
                expected == found,
                """
                \(configuration): \(expected.count) previewed, \(found.count) published, the first \(same) the same
                previewed: \(same < expected.count ? expected[same] : "none")
                published: \(same < found.count ? found[same] : "none")
                """)
        }
        #expect(!previewed.lines.isEmpty && previewed.lines.count == published.count)
    }
}
