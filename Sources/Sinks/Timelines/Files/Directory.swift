import Glibc

/// A directory on disk as the sink needs it: files are read whole and replaced atomically, and everything is durable
/// once `synchronise` has returned. One owner at a time, among processes, too.
final class Directory {
    let path: String
    let descriptor: Int32

    /// Makes the directory if it is missing, and takes its lock.
    init(path: String) throws(SinkError) {
        self.path = path
        try Self.create(path)
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("open", path) }
        let code = lockExclusively(descriptor)
        guard code == 0 else {
            close(descriptor)
            guard code == EWOULDBLOCK else { throw Self.failure("lock", path, code) }
            throw .refused(SinkFault(place: path, operation: "lock", reason: "another sink writes there"))
        }
    }

    deinit {
        // Gives up the lock, too.
        close(descriptor)
    }

    /// Returns the names of the files and directories, ascending.
    ///
    /// - Parameter folder: the folder that is looked into; `nil` is the directory itself.
    func names(in folder: String? = nil) throws(SinkError) -> [String] {
        let place = folder.map { "\(path)/\($0)" } ?? path
        guard let stream = opendir(place) else { throw Self.failure("list", place) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Returns the whole content; `nil` if there is no such file. A folder of that name is none.
    func read(_ name: String) throws(SinkError) -> [UInt8]? {
        let file = openat(descriptor, name, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("read", name)
        }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(file, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EISDIR { return nil }
            guard count >= 0 else { throw failure("read", name) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
        }
    }

    /// Whoever reads the file sees the old content or the new, never a part, even after a loss of power.
    ///
    /// - Parameters:
    ///   - name: the file's name, after its folder's if it lies in one. It is written beside the folder first, so that
    ///     all that a crash leaves is in one place.
    ///   - isServed: true dates the file at least a second after the one before it. Web servers tell files apart by
    ///     second and length, and see each replacement then.
    func replace(_ name: String, with bytes: [UInt8], isServed: Bool = false) throws(SinkError) {
        let temporary = Self.temporaryPrefix + FileTree.parts(of: name).name
        let file = openat(descriptor, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw failure("create", temporary) }
        var isOpen = true
        do throws(SinkError) {
            try writeAll(bytes, to: file, temporary)
            if isServed { try setTimeOfModification(of: file, temporary, after: name) }
            guard fsync(file) == 0 else { throw failure("write", temporary) }
            isOpen = false
            guard close(file) == 0 else { throw failure("write", temporary) }
            guard renameat(descriptor, temporary, descriptor, name) == 0 else { throw failure("replace", name) }
        } catch {
            if isOpen { close(file) }
            unlinkat(descriptor, temporary, 0)
            throw error
        }
    }

    /// - Returns: false if there was no such file. A folder of that name is none, and stays.
    @discardableResult
    func remove(_ name: String) throws(SinkError) -> Bool {
        if unlinkat(descriptor, name, 0) == 0 { return true }
        guard errno == ENOENT || errno == EISDIR else { throw failure("remove", name) }
        return false
    }

    /// Whoever looks sees the file under the old name or under the new one, whose file of before is gone then.
    func rename(_ name: String, to new: String) throws(SinkError) {
        guard renameat(descriptor, name, descriptor, new) == 0 else { throw failure("rename", name) }
    }

    /// Finds out if `Car` and `car` are two files here. A folder can be of another kind than those around it, so this
    /// is tried with a file: `known` if it is there, so that a full disk does not matter, else one of its own.
    func distinguishesCases(known: String) throws(SinkError) -> Bool {
        if try exists(known) { return try !exists(known.uppercased()) }
        let probe = Self.temporaryPrefix + "probe"
        try replace(probe, with: [])
        let isFoundInCapitals = try exists(probe.uppercased())
        try remove(probe)
        return !isFoundInCapitals
    }

    private func exists(_ name: String) throws(SinkError) -> Bool {
        if faccessat(descriptor, name, F_OK, 0) == 0 { return true }
        guard errno == ENOENT else { throw failure("look for", name) }
        return false
    }

    /// Makes names durable that were replaced, renamed or removed.
    func synchronise() throws(SinkError) {
        guard fsync(descriptor) == 0 else { throw Self.failure("write", path) }
    }

    /// Checks that the directory which is open is still the one at its path.
    ///
    /// - Throws: `refused` if it was moved away, removed or replaced.
    func checkPlace() throws(SinkError) {
        var held = stat()
        guard fstat(descriptor, &held) == 0 else { throw Self.failure("look for", path) }
        var found = stat()
        if stat(path, &found) == 0 {
            if found.st_dev == held.st_dev && found.st_ino == held.st_ino { return }
        } else if errno != ENOENT && errno != ENOTDIR {
            throw Self.failure("look for", path)
        }
        let reason =
            "the directory was moved away or replaced while it was open; started again, the sink fills the one there"
        throw .refused(SinkFault(place: path, operation: "write to", reason: reason))
    }

    /// Begins the names of files that are being written. Files that a crash left keep it.
    static let temporaryPrefix = ".tideline-new-"

    private func writeAll(_ bytes: [UInt8], to file: Int32, _ name: String) throws(SinkError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { write(file, $0.baseAddress! + written, $0.count - written) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw failure("write", name) }
            written += count
        }
    }

    func failure(_ operation: String, _ name: String) -> SinkError {
        Self.failure(operation, "\(path)/\(name)")
    }

    private static func create(_ path: String) throws(SinkError) {
        var parent = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            parent += part
            if mkdir(parent, 0o755) != 0 && errno != EEXIST && errno != EISDIR { throw failure("create", parent) }
            parent += "/"
        }
    }

    /// What an operator does about it, where the words of the system do not say that.
    private static let remedies: [Int32: String] = [
        EACCES: "give it to the user that runs the sink (chown), or name another directory",
        ENOTDIR: "a file is in the place of a directory: move it away, or name another directory",
        ENOENT: "no directory can be made there, as under /proc, or it was removed meanwhile: name another one",
        ENOSPC: "make room on its file system: remove something, or let it grow (df, df -i)",
        ELOOP: "a symbolic link in the path leads back to itself: remove it, or name another directory",
        ENAMETOOLONG: "a part of the path is longer than 255 bytes, or all of it than 4,095: name a shorter one",
        EROFS: "its file system is mounted read-only: mount it anew (mount -o remount,rw), or name another directory",
    ]

    private static func failure(_ operation: String, _ place: String, _ code: Int32 = errno) -> SinkError {
        let reason = String(cString: strerror(code)) + (remedies[code].map { "; \($0)" } ?? "")
        let fault = SinkFault(place: place, operation: operation, reason: reason)
        // What time or an operator's cleaning up mends without a change to the sink's settings.
        let passing = [ENOSPC, EDQUOT, EFBIG, EIO, EAGAIN, ENFILE, EMFILE, ENOMEM, ESTALE, EBUSY]
        return passing.contains(code) ? .unavailable(fault) : .refused(fault)
    }
}
