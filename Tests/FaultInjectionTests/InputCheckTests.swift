import Foundation
import Testing

@testable import FaultInjection

@Suite struct InputCheckTests {
    private let ledger = Ledger(session: "7")

    @Test func theLastRecordsOfEachGenerationAreInTheirTopics() {
        var lines = Ledger.Lines()
        for generation in 0..<2 {
            for wave in 0..<Ledger.waves { lines.append(ledger.wave(wave, of: generation)) }
        }
        func missing(_ isKept: (String) -> Bool) -> [String] {
            InputCheck.missing(
                from: ledger, generations: 2, events: lines.events.filter(isKept).map { Data($0.utf8) },
                telemetry: lines.telemetry.filter(isKept).map { Data($0.utf8) })
        }
        #expect(missing { _ in true } == [])
        #expect(missing { !$0.contains("event 2 of 1, version 0") } == [], "a later one replaces it")
        let renamed = "event 2 of 1, version 1"
        #expect(missing { !$0.contains(renamed) } == ["calendar.events has no \"\(renamed)\""])
        #expect(missing { !$0.contains("3 7 Street, 0") } == ["vehicle.telemetry has no \"3 7 Street, 0\""])
    }
}
