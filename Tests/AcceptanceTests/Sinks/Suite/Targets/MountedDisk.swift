import Foundation
import Glibc
import TestSupport

/// A small file system in the middle of the machine's, for servers and libraries that a `SmallDisk` is closed to.
struct MountedDisk {
    let folder: URL
    private static let room = "256m"

    /// - Throws: `TestBrokerError` where no file system can be mounted.
    init(at folder: URL) async throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard try await Self.run("mount", "-t", "tmpfs", "-o", "size=\(Self.room)", "tmpfs", folder.path) else {
            throw TestBrokerError("no file system can be mounted here, so no disk can be full")
        }
    }

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

    func close() async throws { _ = try await Self.run("umount", "--lazy", folder.path) }

    private static func run(_ program: String, _ arguments: String...) async throws -> Bool {
        try await ProcessRunner.run(URL(filePath: "/usr/bin/\(program)"), arguments).succeeded
    }
}
