import Foundation
import Observability
import Testing

@Suite("Control groups")
struct ControlGroupTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "groups-\(UUID().uuidString)")

    private func group(_ membership: String, _ files: [String: String]) throws -> ControlGroup {
        for (path, text) in files {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let file = folder.appending(path: "membership")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(membership.utf8).write(to: file)
        return ControlGroup(groups: folder, membership: file)
    }

    @Test("the least limit of a group and of those around it counts; max is none")
    func version2() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["a/memory.max": "536870912\n", "a/b/memory.max": "max\n", "a/b/c/memory.max": "1073741824\n"]
        #expect(try group("0::/a/b/c\n", files).memoryLimit == 536_870_912)
        #expect(try group("0::/other\n", [:]).memoryLimit == nil)
    }

    @Test("in a container the folder is the group, by whatever name it is known outside")
    func container() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try group("0::/docker/1a2b\n", ["memory.max": "268435456\n"]).memoryLimit == 268_435_456)
    }

    @Test("version 1 has a folder for memory, and a huge number for none")
    func version1() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = "memory/p/memory.limit_in_bytes"
        #expect(try group("4:memory:/p\n0::/\n", [file: "9223372036854771712\n"]).memoryLimit == nil)
        #expect(try group("4:cpu,memory:/p\n0::/\n", [file: "67108864\n"]).memoryLimit == 67_108_864)
    }

    @Test("what the system does not say is nothing")
    func nothing() {
        let nowhere = URL(filePath: "/nowhere")
        let unknown = ControlGroup(groups: nowhere, membership: nowhere)
        #expect(unknown.memoryLimit == nil)
        #expect(unknown.coreLimit == nil && unknown.cores(of: 6) == 6)
    }

    @Test(
        "a quota of processor time counts as so many cores, rounded up; max is none",
        arguments: [
            ("200000 100000\n", 2), ("150000 100000\n", 2), ("1000 100000\n", 1), ("25000 10000\n", 3),
            ("400000\n", 4), ("max 100000\n", nil), ("max\n", nil), ("\n", nil), ("0 100000\n", nil),
            ("100000 0\n", nil),
        ] as [(String, Int?)])
    func quota(text: String, cores: Int?) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try group("0::/docker/1a2b\n", ["cpu.max": text]).coreLimit == cores)
    }

    @Test("the least quota of a group and of those around it counts, and never more than the machine has")
    func quotas() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = [
            "a/cpu.max": "300000 100000\n", "a/b/cpu.max": "max 100000\n", "a/b/c/cpu.max": "800000 100000\n",
        ]
        let limited = try group("0::/a/b/c\n", files)
        #expect(limited.coreLimit == 3)
        #expect(limited.cores(of: 16) == 3 && limited.cores(of: 2) == 2)
    }

    @Test("version 1 has quota and period in files of their own, and -1 for none")
    func quotaOfVersion1() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (quota, period) = ("cpu/p/cpu.cfs_quota_us", "cpu/p/cpu.cfs_period_us")
        let line = "5:cpu,cpuacct:/p\n4:memory:/p\n0::/\n"
        #expect(try group(line, [quota: "-1\n", period: "100000\n"]).coreLimit == nil)
        #expect(try group(line, [quota: "250000\n", period: "100000\n"]).coreLimit == 3)
        #expect(try group("6:cpuset:/p\n", [:]).coreLimit == nil)
    }
}
