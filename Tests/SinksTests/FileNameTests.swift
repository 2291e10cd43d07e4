import Foundation
import RecordLog
import Sinks
import Testing

@Suite("Names of timelines' files")
struct FileNameTests {
    private typealias Contract = TimelineSinkContract

    private static let long = String(repeating: "x", count: 300)
    private static let ids = [
        "", ".", "..", "a/b", "a%2fb", "%", "%25", "A", "a", "%41", "%61", "Car", "car", "CAR", "%43ar", "ä", "Ä",
        "a\u{308}", "a\0b", ".hidden", ".tideline-new-a", "~", "con", "a b", "\n", "🚐", long, long + "y",
        long.uppercased(), String(repeating: "Ж", count: 90), "3F2504E0-4F89-11D3-9A0C-0305E82C3301",
    ]

    @Test("every id has a file of its own inside the directory, whatever the id says", arguments: [true, false])
    func oddIds(keepsCapitals: Bool) throws {
        let directory = try TemporaryDirectory()
        if !keepsCapitals { try directory.takeCasesForTheSame() }
        let sink = try FilesSink(directory: directory.path)
        #expect(sink.keepsCapitals == keepsCapitals)
        for (offset, id) in Self.ids.enumerated() {
            let record = Contract.record(id, Contract.timeline("#\(offset)", revision: 1), offset: Int64(offset))
            #expect(try sink.write(record) == .written, "\(id)")
        }
        let names = Self.ids.map(sink.fileName)
        #expect(Set(names.map { keepsCapitals ? $0 : $0.lowercased() }).count == Self.ids.count)
        #expect(directory.files == names.sorted())
        #expect(names.allSatisfy { $0.utf8.count <= 205 && !$0.hasPrefix(".") && !$0.contains("/") })
        for (offset, id) in Self.ids.enumerated() {
            #expect(directory.text(sink.fileName(of: id)) == Contract.timeline("#\(offset)", revision: 1))
        }
    }

    @Test("a name of one form is never another id's name of the other form")
    func formsApart() {
        for one in Self.ids {
            for other in Self.ids where other.utf8.elementsEqual(one.utf8) == false {
                let names = [true, false].map { TimelineFileName.of(one, keepsCapitals: $0) }
                let others = [true, false].map { TimelineFileName.of(other, keepsCapitals: $0) }
                #expect(Set(names).isDisjoint(with: others), "\(one) and \(other)")
            }
        }
    }

    @Test(
        "are as documented",
        arguments: [
            ("bus-2228", "bus-2228.json", "bus-2228.json"), ("Car", "Car.json", "%43ar.json"),
            ("AABB_1.x", "AABB_1.x.json", "%41%41%42%42_1.x.json"), ("", "%.json", "%.json"),
            ("..", "%2e..json", "%2e..json"), ("a/b", "a%2fb.json", "a%2fb.json"), ("ä b", "%c3%a4%20b.json", nil),
            (
                String(repeating: "a", count: 201),
                String(repeating: "a", count: 100)
                    + "~a92efd82109373e58f9a2056dee01e807e216ce6075f7051207c0a9f7d666e50.json", nil
            ),
        ])
    func documented(id: String, name: String, escaped: String?) {
        #expect(TimelineFileName.of(id, keepsCapitals: true) == name)
        #expect(TimelineFileName.of(id, keepsCapitals: false) == escaped ?? name)
    }

    // MARK: - Files under names of the other form

    @Test("files that have names of the other form get those of now, whole, and counted", arguments: [true, false])
    func renames(keepsCapitals: Bool) throws {
        let directory = try TemporaryDirectory()
        if !keepsCapitals { try directory.takeCasesForTheSame() }
        let ids = ["Car", "bus", String(repeating: "Long/", count: 60), "%41", "ÄÖ A"]
        for id in ids {
            let name = TimelineFileName.of(id, keepsCapitals: !keepsCapitals)
            try directory.write(Contract.timeline(id, revision: 3), to: name)
        }
        // Nobody's timelines.
        try directory.write("{}", to: "%4x.json")
        try directory.write("{}", to: "%4A.json")
        try directory.write("{}", to: "notes~1.json")
        try directory.write("note", to: "%41.txt")
        let sink = try FilesSink(directory: directory.path)
        #expect(sink.renamedFiles.renamed == 3 && sink.renamedFiles.removed == 0)
        let others = ["%4x.json", "%4A.json", "notes~1.json", "%41.txt"]
        #expect(directory.files == (ids.map(sink.fileName) + others).sorted())
        for id in ids { #expect(directory.text(sink.fileName(of: id)) == Contract.timeline(id, revision: 3)) }
    }

    @Test("a file is never replaced by an older timeline")
    func newest() throws {
        let directory = try TemporaryDirectory()
        let (older, newer) = (
            Contract.timeline("A", revision: 3, minute: 1), Contract.timeline("A", revision: 4, minute: 2)
        )
        try directory.write(older, to: "%41.json")
        try directory.write(newer, to: "A.json")
        try directory.write(newer, to: "%42.json")
        try directory.write(older, to: "B.json")
        try directory.write(newer, to: "%43.json")
        try directory.write("cut sho", to: "C.json")
        try directory.write("cut sho", to: "%44.json")
        try directory.write(older, to: "D.json")
        try directory.write(newer, to: "%45.json")
        try directory.write(newer, to: "E.json")
        let files = try FilesSink(directory: directory.path).renamedFiles
        #expect(files.renamed == 2 && files.removed == 3)
        #expect("\(files)".contains("2 renamed, 3 removed"))
        #expect(directory.files == ["A.json", "B.json", "C.json", "D.json", "E.json"])
        #expect(["A.json", "B.json", "C.json", "E.json"].map(directory.text) == Array(repeating: newer, count: 4))
        #expect(directory.text("D.json") == older)
    }

    @Test("what a crash left half renamed is finished at the next start, and a start with nothing to rename says so")
    func again() throws {
        let directory = try TemporaryDirectory()
        for id in ["A", "B", "C"] {
            try directory.write(Contract.timeline(id, revision: 1), to: TimelineFileName.of(id, keepsCapitals: false))
        }
        try FileManager.default.moveItem(atPath: directory.path + "/%42.json", toPath: directory.path + "/B.json")
        #expect(try FilesSink(directory: directory.path).renamedFiles.renamed == 2)
        #expect(directory.files == ["A.json", "B.json", "C.json"])
        #expect(try FilesSink(directory: directory.path).renamedFiles.isEmpty)
    }

    @Test("a restart finds the same names, by the file that is there already", arguments: [true, false])
    func restarts(keepsCapitals: Bool) throws {
        let directory = try TemporaryDirectory()
        if !keepsCapitals { try directory.takeCasesForTheSame() }
        do {
            let sink = try FilesSink(directory: directory.path)
            _ = try sink.write(Contract.record("Car", Contract.timeline("Car", revision: 1), offset: 0))
            try sink.keep([0: SinkPosition(next: Offset(1))], of: "timelines")
        }
        let sink = try FilesSink(directory: directory.path)
        #expect(sink.keepsCapitals == keepsCapitals && sink.renamedFiles.isEmpty)
        #expect(directory.files == [keepsCapitals ? "Car.json" : "%43ar.json"])
    }

    @Test("a tombstone removes the file that has been renamed")
    func removesRenamed() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Contract.timeline("Car", revision: 1), to: "%43ar.json")
        #expect(try FilesSink(directory: directory.path).write(Contract.record("Car", nil, offset: 9)) == .removed)
        #expect(directory.files.isEmpty)
    }
}
