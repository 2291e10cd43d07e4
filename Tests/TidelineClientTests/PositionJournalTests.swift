import Foundation
import TestSupport
import Testing

@testable import TidelineClient

@Suite("The journal survives crashes")
struct PositionJournalTests {
    private let settings = PositionSettings()
    private let owner = PositionJournal.Owner(readerId: "ana", configurationId: "wall")
    private let file = TemporaryDirectory.make("journal").appending(path: "a/wall.journal")

    private func move(_ entryId: String, _ time: String) -> PositionMoves {
        let snapshot = PositionSnapshot(entryId: entryId, observedAt: at(time))
        var moves = PositionMoves()
        moves.positions = ReaderPositions(
            histories: [.init(deviceId: "phone", snapshots: [snapshot])], readEntries: [], dismissed: [],
            settings: settings)
        moves.restorations.count(.exactMatch)
        return moves
    }

    private func entries(_ positions: ReaderPositions) -> [String] { positions.history.map(\.entryId) }

    @Test("what was appended is there again, and what the server accepted does not wait any more")
    func replay() throws {
        var journal = try PositionJournal(file: file, owner: owner, settings: settings)
        try journal.append(move("a", "08:00"))
        let sent = journal.state.pending
        try journal.append(move("b", "08:01"))
        try journal.update { state in
            state.accept(sent, deviceId: "phone", arrival: at("08:02"), settings: settings)
            state.etag = "\"7\""
        }
        try journal.append(move("c", "08:03"))
        let again = try PositionJournal(file: file, owner: owner, settings: settings)
        #expect(again.state == journal.state)
        #expect(entries(again.state.own) == ["c", "b", "a"] && entries(again.state.pending) == ["c", "b"])
        #expect(again.state.restorations[.exactMatch] == 3 && again.state.etag == "\"7\"")
        #expect(again.skippedLines == 0 && journal.saves == 4)
    }

    @Test("of a line that a crash cut off anywhere, nothing counts, and what follows is whole")
    func tornLine() throws {
        var journal = try PositionJournal(file: file, owner: owner, settings: settings)
        try journal.append(move("a", "08:00"))
        let whole = try Data(contentsOf: file)
        try journal.append(move("b", "08:01"))
        let both = try Data(contentsOf: file)
        for length in whole.count..<both.count {
            try both.prefix(length).write(to: file)
            var torn = try PositionJournal(file: file, owner: owner, settings: settings)
            #expect(entries(torn.state.own) == ["a"])
            #expect(torn.skippedLines == (length == whole.count ? 0 : 1))
            try torn.append(move("c", "08:02"))
            let again = try PositionJournal(file: file, owner: owner, settings: settings)
            #expect(entries(again.state.own) == ["c", "a"] && again.skippedLines == 0)
        }
    }

    @Test("a line in the middle that cannot be read is passed over and counted")
    func damagedLine() throws {
        var journal = try PositionJournal(file: file, owner: owner, settings: settings)
        for (entry, time) in [("a", "08:00"), ("b", "08:01"), ("c", "08:02")] { try journal.append(move(entry, time)) }
        var lines = try Data(contentsOf: file).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        lines[1] = Data(repeating: 0, count: lines[1].count)
        try Data(lines.joined(separator: [UInt8(ascii: "\n")])).write(to: file)
        let again = try PositionJournal(file: file, owner: owner, settings: settings)
        #expect(entries(again.state.own) == ["c", "a"] && again.skippedLines == 1)
    }

    @Test("a file that grows is written anew with the state alone")
    func compaction() throws {
        var journal = try PositionJournal(file: file, owner: owner, settings: settings)
        var largest = 0
        for number in 0..<1500 {
            try journal.append(move("entry-\(number % 40)", "08:00:\(String(format: "%02d", number % 60))"))
            largest = max(largest, try Data(contentsOf: file).count)
        }
        #expect(largest < 80 << 10)
        let again = try PositionJournal(file: file, owner: owner, settings: settings)
        #expect(again.state == journal.state && again.state.restorations.total == 1500)
        try journal.compact(at: at("08:05"))
        #expect(try Data(contentsOf: file).filter { $0 == UInt8(ascii: "\n") }.count == 1)
        // A crash between writing the new file and putting it in place leaves both.
        try Data("{\"state".utf8).write(to: file.appendingPathExtension("new"))
        #expect(try PositionJournal(file: file, owner: owner, settings: settings).state == journal.state)
    }

    @Test("two processes lose nothing of each other's, also when one of them writes the file anew")
    func twoProcesses() throws {
        var app = try PositionJournal(file: file, owner: owner, settings: settings)
        var widget = try PositionJournal(file: file, owner: owner, settings: settings)
        try app.append(move("a", "08:00"))
        try widget.append(move("b", "08:01"))
        try app.append(move("c", "08:02"))
        try widget.compact(at: at("08:03"))
        try app.append(move("d", "08:04"))
        try widget.append(move("e", "08:05"))
        let again = try PositionJournal(file: file, owner: owner, settings: settings)
        #expect(entries(again.state.own) == ["e", "d", "c", "b", "a"])
        #expect(widget.state == again.state && again.state.restorations.total == 5)
    }

    @Test("a journal names its reader and configuration, and is no other's; one of before without names is read")
    func owners() throws {
        var journal = try PositionJournal(file: file, owner: owner, settings: settings)
        try journal.append(move("a", "08:00"))
        let appended = try Data(contentsOf: file)
        try journal.compact(at: at("08:01"))
        for bytes in [appended, try Data(contentsOf: file)] {
            try bytes.write(to: file)
            for other in [("Ana", "wall"), ("ana", "Wall")] {
                let other = PositionJournal.Owner(readerId: other.0, configurationId: other.1)
                let error = #expect(throws: TidelineError.self) {
                    try PositionJournal(file: file, owner: other, settings: settings)
                }
                #expect(error?.description.contains("another reader") == true)
            }
            #expect(try Data(contentsOf: file) == bytes)
            #expect(entries(try PositionJournal(file: file, owner: owner, settings: settings).state.own) == ["a"])
        }
        let named = Data(#","owner":{"configurationId":"wall","readerId":"ana"}"#.utf8)
        let bare = String(decoding: appended, as: UTF8.self).replacing(String(decoding: named, as: UTF8.self), with: "")
        #expect(bare.utf8.count == appended.count - named.count)
        try Data(bare.utf8).write(to: file)
        var before = try PositionJournal(file: file, owner: owner, settings: settings)
        #expect(entries(before.state.own) == ["a"] && before.skippedLines == 0)
        try before.compact(at: at("08:02"))
        #expect(String(decoding: try Data(contentsOf: file), as: UTF8.self).hasPrefix(#"{"owner":"#))
    }

    @Test("what is too old goes with maintenance")
    func expiry() throws {
        var journal = try PositionJournal(file: file, owner: owner, settings: settings)
        try journal.append(move("a", "08:00"))
        try journal.append(move("b", "09:00"))
        try journal.compact(at: at("08:30") + settings.expiry)
        #expect(entries(journal.state.own) == ["b"] && entries(journal.state.pending) == ["b"])
    }

    @Test("a folder that cannot be written is an error that names the file")
    func unwritable() throws {
        let folder = TemporaryDirectory.make("journal")
        try Data().write(to: folder.appending(path: "file"))
        let file = folder.appending(path: "file/wall.journal")
        let error = #expect(throws: TidelineError.self) {
            try PositionJournal(file: file, owner: owner, settings: settings)
        }
        #expect(error?.description.contains(folder.path) == true)
    }
}
