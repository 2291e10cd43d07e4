import RecordLog
import Simulation
import Sinks
import Testing
import Timelines

/// What the ledger says to somebody who looks from outside.
@Suite struct LedgerPositionsTests {
    private func kept(in records: [Record]) -> LedgerPositions {
        var kept = LedgerPositions()
        for record in records {
            kept.take(
                key: String(decoding: record.key ?? [], as: UTF8.self),
                value: record.value.map { String(decoding: $0, as: UTF8.self) }, at: record.timestamp)
        }
        return kept
    }

    @Test("each sink is there with how far it has come in each partition, and when it has kept that")
    func sinks() async throws {
        let stage = ReloadStage()
        stage.configure("a", token: "aa01")
        for number in 0..<10 { stage.reload("r\(number)", ["a"]) }
        try await stage.push()
        stage.reload("r0", ["a"])
        try stage.post()
        let records = stage.cluster.records(ReloadStage.ledger)
        let sinks = kept(in: records).sinks
        #expect(sinks.map(\.name) == ["apns", "hook"])
        #expect(sinks.map(\.topic) == [ReloadStage.reloads, ReloadStage.reloads])
        #expect(sinks.map { $0.positions.values.reduce(0) { $0 + $1.next.rawValue } } == [10, 11])
        for sink in sinks {
            let last = records.last { $0.key == Array("commit/\(sink.name)".utf8) }
            #expect(sink.at == last?.timestamp)
        }
    }

    @Test("a position that was taken away is none, and what is no entry of a ledger changes nothing")
    func others() {
        var kept = LedgerPositions()
        let time = Instant(milliseconds: 7)
        func take(_ key: String, _ value: String?) { kept.take(key: key, value: value, at: time) }
        take("position/a/t/0", "5")
        take("position/a/t/1", "6")
        take("position/b/t/0", "7")
        take("commit/a", "1 instance")
        for key in ["", "position", "position/a", "position/a/t", "position/a/t/x", "retired/a/token", "commit"] {
            take(key, "9")
        }
        take("position/a/t/1", nil)
        take("position/b/t/0", nil)
        #expect(kept.sinks.map(\.name) == ["a"])
        #expect(kept.sinks.first?.positions == [0: SinkPosition(next: 5)])
        #expect(kept.sinks.first?.at == time)
        #expect(LedgerPositions.topic(of: "app") == ReloadStage.ledger)
    }
}
