import Foundation
import RecordLog
import Sinks
import Testing

@Suite("The file sink")
struct FilesSinkTests {
    private typealias Contract = TimelineSinkContract

    @Test("keeps the contract of all sinks")
    func contract() throws {
        let directory = try TemporaryDirectory()
        try TimelineSinkContract(
            reopen: { try FilesSink(directory: directory.path) },
            content: { directory.text(TimelineFileName.of($0, keepsCapitals: true)) }
        ).check()
    }

    @Test("a path where no directory can be is refused with the words of the system and a line that mends it")
    func impossiblePaths() throws {
        let directory = try TemporaryDirectory()
        let (loop, back) = ("\(directory.path)/loop", "\(directory.path)/back")
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: back)
        try FileManager.default.createSymbolicLink(atPath: back, withDestinationPath: loop)
        for (path, reason) in [
            ("/proc/tideline", "No such file or directory; no directory can be made there, as under /proc"),
            (loop, "Too many levels of symbolic links; a symbolic link in the path leads back to itself: remove it"),
            ("\(directory.path)/\(String(repeating: "x", count: 300))", "File name too long; a part of the path"),
        ] {
            do throws(SinkError) {
                _ = try FilesSink(directory: path)
                Issue.record("\(path) was made")
            } catch {
                guard case .refused(let fault) = error else { throw error }
                #expect(fault.reason.hasPrefix(reason), "\(fault)")
            }
        }
    }

    @Test("keeps the contract of all sinks where the file system does not tell cases apart")
    func contractWithoutCapitals() throws {
        let directory = try TemporaryDirectory()
        try directory.takeCasesForTheSame()
        try TimelineSinkContract(
            reopen: { try FilesSink(directory: directory.path) },
            content: { directory.text(TimelineFileName.of($0, keepsCapitals: false)) }
        ).check()
    }

    @Test("a file is dated a second after the one that it replaces, for web servers tell them apart by that and length")
    func replacedWithinASecond() throws {
        let directory = try TemporaryDirectory()
        let sink = try FilesSink(directory: directory.path)
        func modified(_ name: String) throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory.path)/\(name)")
            return Int(try #require(attributes[.modificationDate] as? Date).timeIntervalSince1970.rounded(.down))
        }
        var seconds: [Int] = []
        for revision in 1...5 {
            let value = Contract.timeline("a", revision: revision)
            #expect(try sink.write(Contract.record("a", value, offset: Int64(revision))) == .written)
            seconds.append(try modified("a.json"))
            try sink.keep([0: SinkPosition(next: Offset(Int64(revision + 1)))], of: "timelines")
        }
        #expect(zip(seconds, seconds.dropFirst()).allSatisfy { $0 < $1 }, "\(seconds)")
        // Replaced after each batch and served to nobody, it would be dated ahead for days.
        #expect(try modified(".tideline-offsets.json") <= Int(Date().timeIntervalSince1970))
    }

    @Test("leaves a file alone when the same timeline comes again")
    func sameRevisionTwice() throws {
        let directory = try TemporaryDirectory()
        let record = Contract.record("a", Contract.timeline("a", revision: 3), offset: 0)
        _ = try FilesSink(directory: directory.path).write(record)
        let before = try directory.identity("a.json")
        #expect(try FilesSink(directory: directory.path).write(record) == .unchanged)
        #expect(try directory.identity("a.json") == before)
        let next = Contract.record("a", Contract.timeline("a", revision: 4, minute: 1), offset: 1)
        _ = try FilesSink(directory: directory.path).write(next)
        #expect(try directory.identity("a.json") != before, "a replaced file shows")
    }

    @Test("removes at its start what a crash left half written, and nothing else")
    func leftovers() throws {
        let directory = try TemporaryDirectory()
        try directory.write("{", to: ".tideline-new-a.json")
        try directory.write("{}", to: "b.json")
        try directory.write("{}", to: ".tideline-offsets.json")
        _ = try FilesSink(directory: directory.path)
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        #expect(left == [".tideline-offsets.json", "b.json"])
    }

    @Test("makes its directory, and has it for itself")
    func exclusive() throws {
        let parent = try TemporaryDirectory()
        let path = parent.path + "/deep/er"
        do {
            let first = try FilesSink(directory: path)
            #expect(throws: SinkError.self) { try FilesSink(directory: path) }
            try first.flush()
        }
        _ = try FilesSink(directory: path)
    }

    @Test("names the path when its directory is a file")
    func directoryIsFile() throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "file")
        #expect {
            try FilesSink(directory: directory.path + "/file")
        } throws: { error in
            guard let error = error as? SinkError else { return false }
            return !error.isRetriable && error.description.contains("\(directory.path)/file")
        }
    }

    @Test(
        "a directory that is moved away under the sink is told, also if another one took its place",
        arguments: [false, true])
    func movedDirectory(isReplaced: Bool) throws {
        let parent = try TemporaryDirectory()
        let (path, moved) = (parent.path + "/timelines", parent.path + "/moved")
        let sink = try FilesSink(directory: path)
        _ = try sink.write(Contract.record("a", Contract.timeline("a", revision: 1), offset: 0))
        try sink.keep([0: SinkPosition(next: .init(1))], of: "timelines")
        try FileManager.default.moveItem(atPath: path, toPath: moved)
        if isReplaced { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        _ = try sink.write(Contract.record("b", Contract.timeline("b", revision: 1), offset: 1))
        #expect {
            try sink.keep([0: SinkPosition(next: Offset(2))], of: "timelines")
        } throws: { error in
            if case .refused(let fault) = error as? SinkError { fault.reason.contains("moved away") } else { false }
        }
        #expect(try FilesSink(directory: path).positions(of: "timelines").isEmpty, "the next one writes all")
        // Back at its place it goes on from what was kept before.
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: moved, toPath: path)
        try sink.keep([0: SinkPosition(next: Offset(2))], of: "timelines")
        #expect(try sink.positions(of: "timelines") == [0: SinkPosition(next: Offset(2))])
    }

    @Test("forgets its positions when the timelines are gone, so that all are written anew")
    func emptied() throws {
        let directory = try TemporaryDirectory()
        let sink = try FilesSink(directory: directory.path)
        _ = try sink.write(Contract.record("a", Contract.timeline("a", revision: 1), offset: 0))
        try sink.keep([0: SinkPosition(next: .init(1))], of: "timelines")
        #expect(try !sink.positions(of: "timelines").isEmpty)
        try FileManager.default.removeItem(atPath: directory.path + "/a.json")
        #expect(try sink.positions(of: "timelines").isEmpty)
    }
}
