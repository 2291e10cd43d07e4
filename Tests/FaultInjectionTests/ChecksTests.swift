import FaultInjection
import Foundation
import Testing

@Suite struct ChecksTests {
    private func check(_ versions: [(revision: Int, refreshes: Int)]) -> [String] {
        var check = RevisionCheck()
        for (offset, version) in versions.enumerated() {
            check.read(record(offset, #"{"revision":\#(version.revision),"refreshCount":\#(version.refreshes)}"#))
        }
        return check.faults
    }

    private func record(_ offset: Int, _ value: String?) -> Kcat.Record {
        Kcat.Record(partition: 0, offset: offset, key: "a", value: value.map { Data($0.utf8) })
    }

    @Test func revisionsRiseByOneAndRefreshesRiseWithinThem() {
        #expect(check([(1, 1), (2, 2), (2, 3), (2, 4), (3, 5)]).isEmpty)
        #expect(check([(1, 1), (2, 2), (2, 1)]) == ["a at 0/2: revision 2, refresh 1 comes after refresh 2"])
        #expect(check([(1, 1), (2, 2), (2, 4)]) == ["a at 0/2: revision 2, refresh 4 comes after refresh 2"])
        #expect(check([(1, 1), (1, 1)]) == ["a at 0/1: revision 1, refresh 1 comes after refresh 1"])
        #expect(check([(2, 1)]) == ["a at 0/0: it begins with revision 2"])
        #expect(check([(1, 1), (3, 2)]) == ["a at 0/1: revision 3 comes after 1"])
        #expect(check([(1, 1), (2, 2), (1, 3)]) == ["a at 0/2: revision 1 comes after 2"])
        #expect(check([(1, 1), (2, 2), (2, 2)]) == ["a at 0/2: revision 2, refresh 2 comes after refresh 2"])
    }

    @Test func revisionsGoOnAfterATombstone() {
        var check = RevisionCheck()
        check.read(record(0, #"{"revision":1,"refreshCount":7}"#))
        check.read(record(1, nil))
        #expect(check.last.isEmpty)
        check.read(record(2, #"{"revision":2,"refreshCount":1}"#))
        #expect(check.faults.isEmpty && check.last.count == 1)
        check.read(record(3, "no JSON"))
        #expect(check.faults == ["a at 0/3 cannot be read"])
    }

    @Test func aLedgerKnowsWhichRecordWasLost() throws {
        let ledger = Ledger(session: "s")
        let title = { (event: Int, version: Int) in
            #"{"phase":"start","event":{"title":"event \#(event) of 0, version \#(version)"}}"#
        }
        let address = { (wave: Int) in
            #"{"entries":[{"phase":"status","vehicle":{"status":"Charging","location":"\#(wave) s Street, 0"}}]}"#
        }
        let good = [
            ledger.agenda(0): Data(#"{"entries":[\#(title(0, 1)),\#(title(1, 1)),\#(title(2, 1))]}"#.utf8),
            ledger.status(0): Data(address(3).utf8),
        ]
        #expect(ledger.faults(generations: 1, timelines: good).isEmpty)
        for lost in [
            (ledger.agenda(0), #"{"entries":[\#(title(0, 1)),\#(title(2, 1))]}"#),
            (ledger.agenda(0), #"{"entries":[\#(title(0, 0)),\#(title(1, 1)),\#(title(2, 1))]}"#),
            (ledger.status(0), address(2)),
        ] {
            var timelines = good
            timelines[lost.0] = Data(lost.1.utf8)
            #expect(ledger.faults(generations: 1, timelines: timelines).count == 1)
        }
        #expect(ledger.faults(generations: 2, timelines: good).count == 2)
    }

    @Test func aGenerationHasEachOfItsRecordsOnce() {
        let ledger = Ledger(session: "s")
        let waves = (0..<Ledger.waves).map { ledger.wave($0, of: 4) }
        #expect(waves.map(\.configurations.count) == [2, 0, 0, 0])
        #expect(waves.map(\.events.count) == [1, 2, 2, 1])
        #expect(waves.map(\.telemetry.count) == [1, 1, 1, 1])
        #expect(waves.filter { $0.telemetry[0].contains("Charging") }.count == 1)
    }

    @Test func contentIsWhatIsShownFromNowOn() throws {
        let date = try Date("2026-03-02T08:00:00Z", strategy: .iso8601)
        let entry = { (time: String, title: String) in
            #"{"id":"\#(time)","date":"2026-03-02T\#(time)Z","phase":"start","event":{"title":"\#(title)"}}"#
        }
        func timeline(_ entries: String...) -> [String: Data] {
            [
                "a": Data(
                    #"{"kind":"K","revision":\#(entries.count),"entries":[\#(entries.joined(separator: ","))]}"#.utf8)
            ]
        }
        let one = timeline(entry("06:00:00", "old"), entry("07:00:00", "now"), entry("09:00:00", "later"))
        let same = timeline(entry("07:59:59.5", "now"), entry("09:00:00", "later"))
        let other = timeline(entry("07:00:00", "now"), entry("09:00:01", "later"))
        #expect(RunComparison.differences(of: one, from: same, keys: ["a"], at: date).isEmpty)
        #expect(RunComparison.differences(of: one, from: other, keys: ["a"], at: date).count == 1)
        #expect(RunComparison.differences(of: one, from: [:], keys: ["a"], at: date).count == 1)
    }

    @Test func whatOneRunAloneHasIsALossAlsoAfterAnInputWasMadeAgain() {
        func oneSided(_ disturbed: Set<String>, _ undisturbed: Set<String>, _ isWhole: Bool) -> [String] {
            RunComparison.oneSided(disturbed: disturbed, undisturbed: undisturbed, isWhole: isWhole)
        }
        #expect(oneSided(["a", "b"], ["b", "c"], true) == ["a", "c"])
        #expect(oneSided(["a", "b"], ["b", "c"], false) == ["c"])
        #expect(oneSided(["a", "b"], ["b"], false).isEmpty)
    }

    @Test func aSeedDecidesTheFaults() {
        func drawn(_ seed: UInt64) -> [DrawnFault] {
            var schedule = FaultSchedule(seed: seed, kinds: FaultKind.allCases, every: 2, session: 6)
            return (0..<500).compactMap { _ in schedule.next() }
        }
        #expect(drawn(1) == drawn(1))
        #expect(drawn(1) != drawn(2))
        #expect(Set(drawn(1).map(\.kind)) == Set(FaultKind.allCases))
        #expect(drawn(1).filter { $0.kind == .processPause }.allSatisfy { $0.seconds > 6 })
    }
}
