import FaultInjection
import Foundation
import Testing

/// What chaos looks at besides timelines: reloads, merged positions, and dead letters.
@Suite struct OutputChecksTests {
    private func reload(
        _ offset: Int, _ ids: [String], _ revision: Int, reason: String = "dataChanged", limit: Int = 48,
        remaining: Int = 3, key: String = "phone"
    ) -> Kcat.Record {
        let names = ids.map { "\"\($0)\"" }.joined(separator: ",")
        let value = #"""
            {"recipient":"phone","kind":"K","configurationIds":[\#(names)],"reason":"\#(reason)",
            "revision":\#(revision),"budget":{"limit":\#(limit),"remaining":\#(remaining)}}
            """#
        return Kcat.Record(partition: 0, offset: offset, key: key, value: Data(value.utf8))
    }

    private func check(_ reloads: [Kcat.Record]) -> ReloadCheck {
        var check = ReloadCheck()
        for reload in reloads { check.read(reload) }
        return check
    }

    @Test func noReloadTellsOfARevisionTwice() {
        let good = check([
            reload(0, ["a"], 1), reload(1, ["a", "b"], 5), reload(2, ["a"], 3), reload(3, ["b"], 5),
            reload(4, ["b"], 5, reason: "requested"),
        ])
        #expect(good.faults.isEmpty && good.reloads == 5)
        let twice = check([reload(0, ["a"], 1), reload(1, ["a"], 2), reload(2, ["a"], 2)])
        #expect(twice.faults == ["reload of phone at 0/2: a with revision 2 comes after 2"])
        #expect(check([reload(0, ["a"], 2), reload(1, ["a"], 1)]).faults.count == 1)
    }

    @Test func reloadsStayWithinTheBudget() {
        let paid = (0..<3).map { reload($0, ["a"], $0 + 1, limit: 2) }
        #expect(check(Array(paid.prefix(2))).faults.isEmpty)
        #expect(check(paid).faults == ["reload of phone at 0/2: a has more than 2"])
        let free = (0..<3).map { reload($0, ["a"], $0 + 1, reason: "configurationChanged", limit: 2) }
        #expect(check(free).faults.isEmpty)
        #expect(check([reload(0, ["a"], 1, remaining: -1)]).faults.count == 1)
        #expect(check([reload(0, ["a"], 1, key: "watch")]).faults == ["reload of watch at 0/0 is for phone"])
        #expect(check([Kcat.Record(partition: 0, offset: 0, key: "phone", value: nil)]).faults.count == 1)
    }

    @Test func theLastVisibleChangeIsAnnounced() {
        let ledger = Ledger(session: "s")
        func version(_ offset: Int, _ title: String) -> Kcat.Record {
            let entries = #"[{"event":{"title":"\#(title)"}}]"#
            let value = #"{"recipient":"phone","kind":"K","revision":\#(offset),"entries":\#(entries)}"#
            return Kcat.Record(partition: 0, offset: offset, key: "agenda-s-0", value: Data(value.utf8))
        }
        let (old, new) = ("event 0 of 0, version 0", "event 0 of 0, version 1")
        let versions = [version(3, old), version(4, new), version(5, new)]
        let wanted = ledger.announcements(generations: 1, versions: versions)
        #expect(wanted.map(\.revision) == [4])
        func untold(_ reload: Kcat.Record) -> [String] { check([reload]).untold(wanted) }
        #expect(untold(reload(0, ["agenda-s-0"], 4)).isEmpty)
        #expect(untold(reload(0, ["agenda-s-0", "b"], 9)).isEmpty)
        #expect(untold(reload(0, ["agenda-s-0"], 3)) == ["agenda-s-0 has revision 4, phone was told of 3"])
        #expect(untold(reload(0, ["b"], 9)) == ["agenda-s-0 has revision 4, phone was told of none"])
    }

    @Test func aLedgerKnowsWhichPlaceOfAReaderWasLost() throws {
        let ledger = Ledger(session: "s")
        func merged(_ phone: String, _ watch: String, read: [Int]) -> [String: Data] {
            let marks = read.map { #"{"entryId":"wave-\#($0)"}"# }.joined(separator: ",")
            let value = #"""
                {"position":{"entryId":"\#(watch)"},"devices":[{"deviceId":"phone","position":{"entryId":"\#(phone)"}},
                {"deviceId":"watch","position":{"entryId":"\#(watch)"}}],"readEntries":[\#(marks)]}
                """#
            return ["reader-agenda-s-0/agenda-s-0": Data(value.utf8)]
        }
        let good = merged("wave-2", "wave-3", read: [3, 2, 1, 0])
        #expect(ledger.positionFaults(generations: 1, merged: good).isEmpty)
        #expect(ledger.positionFaults(generations: 2, merged: good).count == 1)
        for bad in [
            merged("wave-0", "wave-3", read: [0, 1, 2, 3]), merged("wave-2", "wave-1", read: [0, 1, 2, 3]),
            merged("wave-2", "wave-3", read: [0, 1, 3]),
        ] {
            #expect(ledger.positionFaults(generations: 1, merged: bad).count == 1)
        }
    }

    @Test func eachRecordThatCannotBeUsedHasOneDeadLetter() {
        func letters(_ places: (String, Int)...) -> DeadLetterCheck {
            DeadLetterCheck(
                places.map { topic, offset in
                    "__streams.errors.exception=MessageProblem.malformed,__streams.errors.message=a, b\nc,"
                        + "__streams.errors.topic=\(topic),__streams.errors.partition=0,"
                        + "__streams.errors.offset=\(offset)"
                })
        }
        let all = letters(("t", 1), ("t", 12))
        #expect(all.places == ["t/0/1", "t/0/12"])
        #expect(all.faults(undisturbed: letters(("t", 12), ("t", 1)), remade: nil).isEmpty)
        let twice = letters(("t", 1), ("t", 12), ("t", 1))
        #expect(twice.faults(undisturbed: all, remade: nil) == ["t/0/1 is there twice"])
        #expect(letters(("t", 1)).faults(undisturbed: all, remade: nil) == ["t/0/12 is missing"])
        #expect(all.faults(undisturbed: letters(("t", 1)), remade: nil) == ["t/0/12 is only in the disturbed run"])
        #expect(twice.faults(undisturbed: letters(("t", 1)), remade: "t").isEmpty)
    }
}
