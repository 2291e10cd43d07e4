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
            content: { directory.text(TimelineFileName.of($0)) }
        ).check()
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

    @Test("gives every id a file of its own inside the directory, whatever the id says")
    func oddIds() throws {
        let directory = try TemporaryDirectory()
        let sink = try FilesSink(directory: directory.path)
        let long = String(repeating: "x", count: 300)
        let ids = [
            "", ".", "..", "a/b", "a%2fb", "%", "%25", "A", "a", "ä", "a\u{308}", "a\0b", ".hidden", ".tideline-new-a",
            "~", "con", "a b", "\n", "🚐", long, long + "y", String(repeating: "Ж", count: 90),
        ]
        for (offset, id) in ids.enumerated() {
            let record = Contract.record(id, Contract.timeline("#\(offset)", revision: 1), offset: Int64(offset))
            #expect(try sink.write(record) == .written, "\(id)")
        }
        let names = ids.map(TimelineFileName.of)
        #expect(Set(names.map { $0.lowercased() }).count == ids.count)
        #expect(directory.files == names.sorted())
        #expect(names.allSatisfy { $0.utf8.count <= 205 && !$0.hasPrefix(".") && !$0.contains("/") })
        for (offset, id) in ids.enumerated() {
            #expect(directory.text(TimelineFileName.of(id)) == Contract.timeline("#\(offset)", revision: 1))
        }
    }

    @Test(
        "writes file names as they are documented",
        arguments: [
            ("bus-2228", "bus-2228.json"), ("AABB", "%41%41%42%42.json"), ("", "%.json"), ("..", "%2e..json"),
            ("a/b", "a%2fb.json"),
            (
                String(repeating: "a", count: 201),
                String(repeating: "a", count: 100)
                    + "~a92efd82109373e58f9a2056dee01e807e216ce6075f7051207c0a9f7d666e50.json"
            ),
        ])
    func documentedNames(id: String, name: String) {
        #expect(TimelineFileName.of(id) == name)
    }
}
