import Foundation
import Glibc
import TestSupport

/// A small file system in the middle of the machine's, for servers and libraries that a `SmallDisk` is closed to.
struct MountedDisk {
    let folder: URL
    /// False where no file system can be mounted: then it is a folder as any other, and is never full.
    let isMounted: Bool
    private static let room = "256m"

    init(at folder: URL) async throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        isMounted = try await Self.run("mount", "-t", "tmpfs", "-o", "size=\(Self.room)", "tmpfs", folder.path)
    }

    private static let trial = Task {
        guard let disk = try? await MountedDisk(at: TemporaryDirectory.make("trial")) else { return false }
        try? await disk.close()
        return disk.isMounted
    }

    /// A file system can be mounted here, which takes root's rights. It is tried once.
    static func isPossible() async -> Bool { await trial.value }

    /// What is used is all that there is.
    func fill() async throws {
        // What was written meanwhile needs more than that.
        for _ in 0..<20 {
            let bytes = try used
            if try await resize("\(bytes)") { return }
        }
        throw TestBrokerError("\(folder.path) cannot be made full")
    }

    func empty() async throws {
        guard try await resize(Self.room) else { throw TestBrokerError("\(folder.path) cannot have \(Self.room)") }
    }

    private var used: UInt {
        get throws {
            var status = statvfs()
            guard statvfs(folder.path, &status) == 0 else { throw TestBrokerError("\(folder.path) is not there") }
            return (UInt(status.f_blocks) - UInt(status.f_bfree)) * UInt(status.f_frsize)
        }
    }

    private func resize(_ size: String) async throws -> Bool {
        try await Self.run("mount", "-o", "remount,size=\(size)", folder.path)
    }

    func close() async throws {
        guard isMounted else { return }
        _ = try await Self.run("umount", "--lazy", folder.path)
    }

    private static func run(_ program: String, _ arguments: String...) async throws -> Bool {
        try await ProcessRunner.run(URL(filePath: "/usr/bin/\(program)"), arguments).succeeded
    }
}

extension SinkGuarantee {
    /// What is guaranteed over such a disk: where nothing can be mounted, nothing can be full.
    func on(_ disk: MountedDisk) -> Self {
        var guarantee = self
        if !disk.isMounted { guarantee.full = nil }
        return guarantee
    }
}
