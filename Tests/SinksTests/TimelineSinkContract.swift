import RecordLog
import Sinks
import Testing

/// What every sink promises, whatever it writes to. A sink's tests run `check` with a sink that is empty.
struct TimelineSinkContract {
    /// Makes the sink anew over what it holds, as after a restart. The sink before it is gone by then.
    var reopen: () throws -> any TimelineSink
    /// What the sink holds for a configuration, as whoever reads it sees it once positions were kept.
    var content: (String) throws -> String?
    /// What a reader is to see of a timeline's JSON, where that is not the JSON itself.
    var shown: (String) throws -> String = { $0 }
    /// False for a sink that never reads what its target holds: it writes what is there already, takes away what is not
    /// there, and the order of the topic alone decides what is newest.
    var readsItsTarget = true
    /// False for a sink that keeps no positions, or keeps them elsewhere.
    var keepsItsPositions = true

    func check() throws {
        try replacesAndRemoves()
        try routes()
        try keepsTheNewest()
        try leavesOutWhatIsNoTimeline()
        try takesTheOneBefore()
        try takesWhatLaterReleasesSay()
        try saysWhatItHolds()
        if keepsItsPositions { try keepsPositions() }
    }

    /// Opens the sink, as a run does.
    private func open() throws -> any TimelineSink {
        let sink = try reopen()
        _ = try sink.positions(of: Self.topic)
        return sink
    }

    /// What becomes of a record that changes nothing: those that do not look do it again.
    private func unchanged(_ again: SinkOutcome) -> SinkOutcome { readsItsTarget ? .unchanged : again }

    private static let topic = "timelines"

    /// A timeline as JSON; `minute` is when it was made.
    static func timeline(_ id: String, revision: Int, refreshCount: Int? = nil, minute: Int = 0) -> String {
        let count = refreshCount ?? revision
        let time = "2026-11-20T06:\(minute < 10 ? "0" : "")\(minute):00Z"
        let entry = #"{"id":"tick/\#(time)","date":"\#(time)","phase":"tick"}"#
        return #"{"configurationId":"\#(id)","kind":"Demo","family":"systemMedium","recipient":"r","#
            + #""revision":\#(revision),"generatedAt":"\#(time)","entries":[\#(entry)],"#
            + #""refreshCount":\#(count),"policy":{"type":"never"},"sources":[]}"#
    }

    /// Writes a record as the only one of its batch.
    private func write(_ record: SinkRecord, to sink: any TimelineSink) throws -> SinkOutcome {
        let outcome = try sink.write(record)
        try sink.flush()
        try sink.keep([:], of: Self.topic)
        return outcome
    }

    static func record(_ id: String, _ value: String?, offset: Int64, sinks: String? = nil) -> SinkRecord {
        SinkRecord(
            configurationId: id, value: value.map { Array($0.utf8) },
            headers: sinks.map { [Header("ce_sinks", $0)] } ?? [], origin: TopicPartition("timelines", 0),
            offset: Offset(offset))
    }

    private func replacesAndRemoves() throws {
        let sink = try open()
        let (first, second) = (Self.timeline("a", revision: 1), Self.timeline("a", revision: 2, minute: 1))
        #expect(try write(Self.record("a", first, offset: 0), to: sink) == .written)
        #expect(try content("a") == shown(first))
        #expect(try write(Self.record("a", first, offset: 0), to: sink) == unchanged(.written))
        #expect(try content("a") == shown(first))
        #expect(try write(Self.record("a", second, offset: 1), to: sink) == .written)
        #expect(try content("a") == shown(second))
        #expect(try write(Self.record("b", nil, offset: 2), to: sink) == unchanged(.removed))
        #expect(try write(Self.record("a", nil, offset: 3), to: sink) == .removed)
        #expect(try content("a") == nil)
        #expect(try write(Self.record("a", nil, offset: 3), to: sink) == unchanged(.removed))
        #expect(try content("a") == nil)
        try sink.flush()
    }

    private func routes() throws {
        let sink = try open()
        let text = Self.timeline("routed", revision: 1)
        let elsewhere = Self.record("routed", text, offset: 0, sinks: "elsewhere")
        #expect(try write(elsewhere, to: sink) == unchanged(.removed))
        #expect(try content("routed") == nil)
        let meant = Self.record("routed", text, offset: 1, sinks: "elsewhere,\(sink.name)")
        #expect(try write(meant, to: sink) == .written)
        #expect(try content("routed") == shown(text))
        #expect(try write(Self.record("routed", text, offset: 2, sinks: "elsewhere"), to: sink) == .removed)
        #expect(try content("routed") == nil)
        let nowhere = Self.record("routed", text, offset: 3, sinks: "")
        #expect(try write(nowhere, to: sink) == unchanged(.removed))
        #expect(try content("routed") == nil)
    }

    private func keepsTheNewest() throws {
        let (old, new) = (Self.timeline("c", revision: 7, minute: 5), Self.timeline("c", revision: 8, minute: 6))
        let again = Self.timeline("c", revision: 8, refreshCount: 9, minute: 7)
        _ = try write(Self.record("c", new, offset: 1), to: open())
        do {
            let sink = try open()
            let outcome = try write(Self.record("c", old, offset: 0), to: sink)
            #expect(outcome == unchanged(.written), "an older one again")
            #expect(try content("c") == shown(readsItsTarget ? new : old))
            #expect(try write(Self.record("c", again, offset: 2), to: sink) == .written, "made again")
            #expect(try content("c") == shown(again))
        }
        let sink = try open()
        let reset = Self.timeline("c", revision: 1, minute: 30)
        #expect(try write(Self.record("c", reset, offset: 3), to: sink) == .written, "anew after a reset")
        #expect(try content("c") == shown(reset))
    }

    private func leavesOutWhatIsNoTimeline() throws {
        let sink = try open()
        let good = Self.timeline("d", revision: 1)
        _ = try write(Self.record("d", good, offset: 0), to: sink)
        for bad in ["", "{", "[]", #"{"revision":"x"}"#, good + "}"] {
            #expect {
                try sink.write(Self.record("d", bad, offset: 1))
            } throws: { error in
                if case .unusable = error as? SinkError { true } else { false }
            }
        }
        #expect(try content("d") == shown(good))
        if sink.isTransactional { sink.rollBack() }
    }

    /// In place of a record that is left out comes the one before it, in the same batch.
    private func takesTheOneBefore() throws {
        let sink = try open()
        let good = Self.timeline("g", revision: 1)
        #expect {
            try sink.write(Self.record("g", good + "}", offset: 1))
        } throws: { error in
            if case .unusable = error as? SinkError { true } else { false }
        }
        #expect(try write(Self.record("g", good, offset: 0), to: sink) == .written)
        #expect(try content("g") == shown(good))
    }

    /// Values of later releases may have more members, and words that this one does not know.
    private func takesWhatLaterReleasesSay() throws {
        let sink = try open()
        let later = Self.timeline("f", revision: 1).replacing(
            #""phase":"tick""#, with: #""phase":"later","new":{"a":1}"#
        )
        .replacing("systemMedium", with: "enormous").replacing(#""type":"never""#, with: #""type":"sometimes""#)
        .replacing(#","sources":[]"#, with: "").replacing(#""refreshCount":1,"#, with: "")
        #expect(try write(Self.record("f", later, offset: 0), to: sink) == .written)
        #expect(try content("f") == shown(later))
    }

    /// It says whose timelines it holds, each once and to the byte.
    private func saysWhatItHolds() throws {
        let sink = try open()
        guard readsItsTarget else {
            #expect(try sink.configurations() == nil)
            return
        }
        let before = try #require(try sink.configurations())
        let ids = ["held", "Held", "held/\u{E4} %", String(repeating: "\u{FC}", count: 120)]
        for (number, id) in ids.enumerated() {
            let value = Self.timeline(id, revision: 1)
            #expect(try write(Self.record(id, value, offset: Int64(100 + number)), to: sink) == .written)
        }
        #expect(try sink.configurations()?.sorted() == (before + ids).sorted())
        for (number, id) in ids.enumerated() {
            #expect(try write(Self.record(id, nil, offset: Int64(200 + number)), to: sink) == .removed)
        }
        #expect(try sink.configurations()?.sorted() == before.sorted())
    }

    private func keepsPositions() throws {
        let choice = SinkChoice(name: "e").digest
        let places: [Partition: SinkPosition] = [
            0: SinkPosition(next: Offset(17), choice: choice),
            12: SinkPosition(next: Offset(3), begun: Offset(9), choice: choice),
        ]
        do {
            let sink = try reopen()
            #expect(try sink.positions(of: "timelines").isEmpty)
            _ = try sink.write(Self.record("e", Self.timeline("e", revision: 1), offset: 16))
            try sink.keep([0: SinkPosition(next: Offset(2))], of: "timelines")
            try sink.keep([0: SinkPosition(next: Offset(4))], of: "other.timelines")
            try sink.keep(places, of: "timelines")
        }
        let sink = try reopen()
        #expect(try sink.positions(of: "timelines") == places)
        #expect(try sink.positions(of: "other.timelines") == [0: SinkPosition(next: Offset(4))])
    }
}
