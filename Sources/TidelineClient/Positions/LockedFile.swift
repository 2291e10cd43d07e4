internal import Foundation
internal import Positions

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A file that this process alone uses, as long as the value lives. It is made if it is missing.
///
/// The lock is that of a file beside it, because the file itself may be replaced.
struct LockedFile: ~Copyable {
    /// An identity tells a file from others, also from one of the same name.
    struct Identity: Hashable, Sendable {
        var device: UInt64
        var inode: UInt64
    }

    private let file: URL
    private let lock: Int32
    private let descriptor: Int32

    /// Waits until no other process uses the file. Blocks the thread.
    init(_ file: URL) throws(TidelineError) {
        self.file = file
        let lock = open(file.appendingPathExtension("lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw Self.failure("locked", file) }
        while flock(lock, LOCK_EX) != 0 {
            guard errno == EINTR else {
                let failure = Self.failure("locked", file)
                close(lock)
                throw failure
            }
        }
        let descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let failure = Self.failure("opened", file)
            close(lock)
            throw failure
        }
        self.lock = lock
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
        // Closing gives the lock back, too.
        close(lock)
    }

    /// The identity of the file, and its size in bytes.
    func identity() throws(TidelineError) -> (file: Identity, size: Int) {
        try Self.identity(of: descriptor, file)
    }

    private static func identity(
        of descriptor: Int32, _ file: URL
    ) throws(TidelineError) -> (file: Identity, size: Int) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("read", file) }
        let identity = Identity(
            device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino))
        return (identity, Int(status.st_size))
    }

    /// The bytes from one place to another.
    func bytes(from start: Int, to end: Int) throws(TidelineError) -> Data {
        var bytes = Data(count: end - start)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count, off_t(start + count))
            }
            guard got != 0 else { break }
            guard got > 0 || errno == EINTR else { throw Self.failure("read", file) }
            count += max(0, got)
        }
        return bytes.prefix(count)
    }

    /// Writes bytes at a place, with nothing after them, and waits until the disk has them. If that fails the file ends
    /// at the place, so that nobody reads what was said not to be written.
    func write(_ bytes: Data, at start: Int) throws(TidelineError) {
        try cut(at: start)
        do {
            try Self.write(bytes, to: descriptor, at: start, file)
            if start == 0 { try saveName() }
        } catch {
            try cut(at: start)
            throw error
        }
    }

    /// Removes what stands from a place on.
    func cut(at start: Int) throws(TidelineError) {
        guard ftruncate(descriptor, off_t(start)) == 0 else { throw Self.failure("written", file) }
    }

    /// Puts a new file with these bytes in this one's place, in one step: after a crash there is the one or the other.
    ///
    /// - Returns: the identity of the new file.
    func replace(with bytes: Data) throws(TidelineError) -> Identity {
        let new = file.appendingPathExtension("new").path
        let descriptor = open(new, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("replaced", file) }
        defer { close(descriptor) }
        try Self.write(bytes, to: descriptor, at: 0, file)
        guard rename(new, file.path) == 0 else { throw Self.failure("replaced", file) }
        try saveName()
        return try Self.identity(of: descriptor, file).file
    }

    /// Waits until the disk has the name of the file: it is part of the folder, not of the file.
    private func saveName() throws(TidelineError) {
        let folder = open(file.deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { throw Self.failure("saved", file) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw Self.failure("saved", file) }
    }

    private static func write(
        _ bytes: Data, to descriptor: Int32, at start: Int, _ file: URL
    ) throws(TidelineError) {
        var count = 0
        while count < bytes.count {
            let written = bytes.withUnsafeBytes { buffer in
                pwrite(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count, off_t(start + count))
            }
            guard written >= 0 || errno == EINTR else { throw failure("written", file) }
            count += max(0, written)
        }
        #if canImport(Darwin)
            // There fsync(2) leaves the bytes in the drive's own memory.
            guard fcntl(descriptor, F_FULLFSYNC) == 0 || fsync(descriptor) == 0 else { throw failure("saved", file) }
        #else
            guard fsync(descriptor) == 0 else { throw failure("saved", file) }
        #endif
    }

    private static func failure(_ done: String, _ file: URL) -> TidelineError {
        .storage("\(file.path) cannot be \(done): \(String(cString: strerror(errno)))")
    }
}
