import Glibc

/// An input that is opened once. A file on disk is read as often as wanted, from its beginning each time; a pipe can be
/// read once, unless it is kept first.
package final class InputFile {
    /// The path as it was given; `-` is standard input.
    package let file: String
    /// True if it ends and can be read again: it is a file on disk, or a pipe that was kept.
    package private(set) var isRegular: Bool
    private var descriptor: Int32

    /// Opens it; a named pipe waits for somebody who writes to it.
    package init(_ file: String) throws(InputProblem) {
        self.file = file
        descriptor = file == "-" ? dup(STDIN_FILENO) : Glibc.open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw InputProblem(file: file, line: nil, reason: systemError()) }
        var status = stat()
        isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    deinit {
        close(descriptor)
    }

    /// Reads a pipe to its end into a temporary file, which has no name and is gone with this object. Nothing is to be
    /// done for a file on disk.
    ///
    /// - Parameter shouldStop: asked several times a second while nothing comes; true ends the input.
    package func keep(shouldStop: @escaping () -> Bool = { false }) throws(InputProblem) {
        guard !isRegular else { return }
        let spool = try spooled(shouldStop)
        close(descriptor)
        descriptor = spool
        isRegular = true
    }

    /// - Parameter shouldStop: asked several times a second while nothing comes through a pipe; true ends the input.
    func open(shouldStop: @escaping () -> Bool = { false }) throws(InputProblem) -> ByteSource {
        try ByteSource(file: file, descriptor: fcntl(descriptor, F_DUPFD_CLOEXEC, 0), shouldStop: shouldStop)
    }

    private func spooled(_ shouldStop: @escaping () -> Bool) throws(InputProblem) -> Int32 {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(folder)/tideline-\(String(repeating: "X", count: 6))".utf8CString)
        let spool = mkstemp(&template)
        guard spool >= 0 else {
            throw InputProblem(file: file, line: nil, reason: "no temporary file in \(folder): \(systemError())")
        }
        unlink(&template)
        do throws(InputProblem) {
            let source = try open(shouldStop: shouldStop)
            var buffer: [UInt8] = []
            while try source.read(into: &buffer) {
                try write(buffer, to: spool)
                buffer.removeAll(keepingCapacity: true)
            }
            // It is read from where its descriptor stands.
            guard lseek(spool, 0, SEEK_SET) == 0 else { throw cannotBeKept() }
        } catch {
            close(spool)
            throw error
        }
        return spool
    }

    private func write(_ bytes: [UInt8], to spool: Int32) throws(InputProblem) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { Glibc.write(spool, $0.baseAddress! + written, $0.count - written) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw cannotBeKept() }
            written += count
        }
    }

    private func cannotBeKept() -> InputProblem {
        InputProblem(file: file, line: nil, reason: "cannot be kept in a temporary file: \(systemError())")
    }
}
