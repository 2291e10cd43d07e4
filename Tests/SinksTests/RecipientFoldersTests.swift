import Foundation
import RecordLog
import Sinks
import Testing

@Suite("The file sink, with a folder for each recipient")
struct RecipientFoldersTests {
    private typealias Contract = TimelineSinkContract

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func open() throws -> FilesSink { try FilesSink(directory: directory.path, layout: .byRecipient) }

    private func timeline(_ id: String, of recipient: String, revision: Int) -> String {
        Contract.timeline(id, revision: revision, minute: revision).replacing(
            #""recipient":"r""#, with: #""recipient":"\#(recipient)""#)
    }

    @discardableResult
    private func write(_ id: String, of recipient: String, revision: Int = 1, to sink: FilesSink) throws -> SinkOutcome
    {
        try sink.write(Contract.record(id, timeline(id, of: recipient, revision: revision), offset: Int64(revision)))
    }

    /// Paths of all files that are not hidden, ascending.
    private var paths: [String] {
        (FileManager.default.enumerator(atPath: directory.path)?.allObjects as? [String] ?? [])
            .filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted()
    }

    @Test("keeps the contract of all sinks")
    func contract() throws {
        try TimelineSinkContract(reopen: open, content: { directory.text("r/\($0).json") }).check()
    }

    @Test("a recipient that changes moves the file, also when it is another start that hears of it")
    func moves() throws {
        do {
            let sink = try open()
            try write("a", of: "ana", to: sink)
            try write("b", of: "ana", to: sink)
            try write("a", of: "ben", revision: 2, to: sink)
            try sink.flush()
        }
        #expect(paths == ["ana/b.json", "ben/a.json"])
        let sink = try open()
        #expect(try write("a", of: "ana", revision: 1, to: sink) == .unchanged, "an older one again")
        try write("b", of: "ben", revision: 2, to: sink)
        #expect(paths == ["ben/a.json", "ben/b.json"])
        #expect(directory.files == ["ben"], "a folder without files goes")
        #expect(try sink.write(Contract.record("a", nil, offset: 9)) == .removed)
        #expect(try sink.write(Contract.record("b", nil, offset: 10)) == .removed)
        #expect(directory.files.isEmpty)
        try sink.flush()
    }

    @Test("of two files that a crash in the middle of a move left, the newer stays")
    func crashed() throws {
        for (folder, revision) in [("ana", 2), ("ben", 1), ("zoe", 3)] {
            try FileManager.default.createDirectory(
                atPath: "\(directory.path)/\(folder)", withIntermediateDirectories: false)
            try directory.write(timeline("a", of: folder, revision: revision), to: "\(folder)/a.json")
        }
        let sink = try open()
        #expect(paths == ["zoe/a.json"])
        #expect(try sink.write(Contract.record("a", nil, offset: 9)) == .removed)
    }

    @Test("a recipient may say anything: its folder lies in the directory, is its own, and is not hidden")
    func oddRecipients() throws {
        let recipients = ["..", ".", "a/b", "~", "Ana", "ana", "ä", String(repeating: "x", count: 300)]
        do {
            let sink = try open()
            for (number, recipient) in recipients.enumerated() { try write("\(number)", of: recipient, to: sink) }
            try sink.flush()
        }
        #expect(paths.count == recipients.count)
        #expect(directory.files.count == recipients.count && directory.files.contains("%2e."))
        #expect(FileManager.default.contents(atPath: directory.path + "/Ana/4.json") != nil)
        let sink = try open()
        #expect(sink.renamedFiles.isEmpty)
        for number in recipients.indices {
            #expect(try sink.write(Contract.record("\(number)", nil, offset: 9)) == .removed)
        }
        #expect(directory.files.isEmpty)
    }

    @Test("folders and files with names of the other form get those of now")
    func renamed() throws {
        let long = String(repeating: "Ä", count: 90)
        for (id, recipient) in [("Car", "Ana"), ("car", "ana"), (long, long)] {
            let folder = TimelineFileName.of(recipient, suffix: "", keepsCapitals: false)
            try FileManager.default.createDirectory(
                atPath: "\(directory.path)/\(folder)", withIntermediateDirectories: true)
            try directory.write(
                timeline(id, of: recipient, revision: 1),
                to: "\(folder)/\(TimelineFileName.of(id, keepsCapitals: false))")
        }
        try directory.write("mine", to: "ana/notes.txt")
        let sink = try open()
        #expect(sink.renamedFiles.renamed == 1)
        #expect(paths.contains("Ana/Car.json") && paths.contains("ana/car.json") && paths.count == 3)
        #expect(try sink.write(Contract.record("car", nil, offset: 2)) == .removed)
        #expect(directory.text("ana/notes.txt") == "mine", "somebody else's file stays")
    }

    @Test("a timeline without a recipient is told, and the others go on")
    func noRecipient() throws {
        let value = Contract.timeline("a", revision: 1).replacing(#""recipient":"r","#, with: "")
        #expect {
            try open().write(Contract.record("a", value, offset: 0))
        } throws: { error in
            "\(error)".contains("field recipient: the timeline has none")
        }
    }
}
