import Glibc

/// A file or standard input, read from its beginning to its end. What begins with gzip's magic bytes is unpacked,
/// whatever the file is called.
///
/// A file on disk is read at positions of this object's own, from where its descriptor stands: the descriptor does not
/// move, so those that share it (standard input and its duplicates) disturb nobody.
final class ByteSource {
    let file: String
    private let descriptor: Int32
    /// The bytes of a file on disk from the place where it is read; `nil` if it is no file on disk.
    private let size: Int?
    private let begin: Int
    private let shouldStop: () -> Bool
    private var consumed = 0
    private var chunk = [UInt8](repeating: 0, count: 1 << 16)
    private var inflater: GzipInflater?
    private var hasBegun = false

    /// - Parameters:
    ///   - file: a path; `-` is standard input.
    ///   - shouldStop: asked several times a second while nothing comes through a pipe; true is the input's end.
    convenience init(file: String, shouldStop: @escaping () -> Bool = { false }) throws(InputProblem) {
        let descriptor = file == "-" ? dup(STDIN_FILENO) : open(file, O_RDONLY | O_CLOEXEC)
        try self.init(file: file, descriptor: descriptor, shouldStop: shouldStop)
    }

    /// - Parameters:
    ///   - file: what problems name.
    ///   - descriptor: is closed at the end; below 0 it is the system's last error.
    init(
        file: String, descriptor: Int32, shouldStop: @escaping () -> Bool = { false }
    ) throws(InputProblem) {
        self.file = file
        self.shouldStop = shouldStop
        self.descriptor = descriptor
        guard descriptor >= 0 else { throw InputProblem(file: file, line: nil, reason: systemError()) }
        var status = stat()
        let isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        begin = isRegular ? max(0, lseek(descriptor, 0, SEEK_CUR)) : 0
        size = isRegular ? max(0, Int(status.st_size) - begin) : nil
    }

    deinit {
        close(descriptor)
    }

    /// True if it can be read twice.
    var isRegular: Bool { size != nil }

    /// The part of the bytes on disk, packed or not, that was read.
    var fractionDone: Double? {
        guard let size else { return nil }
        return size == 0 ? 1 : min(1, Double(consumed) / Double(size))
    }

    enum Reading {
        case bytes, end
        /// Nothing came as long as was to be waited.
        case nothingYet
    }

    /// Appends what comes next to `buffer`; waits where nothing is there yet.
    ///
    /// - Returns: false at the end, with nothing appended.
    func read(into buffer: inout [UInt8]) throws(InputProblem) -> Bool {
        try read(into: &buffer, waits: { true }) == .bytes
    }

    /// - Parameter waits: asked several times a second while nothing comes through a pipe.
    func read(into buffer: inout [UInt8], waits: () -> Bool) throws(InputProblem) -> Reading {
        let before = buffer.count
        repeat {
            guard let count = try readChunk(waits) else { return buffer.count > before ? .bytes : .nothingYet }
            guard count > 0 else {
                if let inflater, !inflater.isAtEnd { throw problem("the gzip data ends too early") }
                return buffer.count > before ? .bytes : .end
            }
            try append(count, to: &buffer)
        } while buffer.count == before
        return .bytes
    }

    /// - Returns: the number of bytes that came, 0 at the end; `nil` if none came for as long as was to be waited.
    private func readChunk(_ waits: () -> Bool) throws(InputProblem) -> Int? {
        var filled = 0
        // The magic bytes may arrive one by one through a pipe.
        repeat {
            switch waitForInput({ waits() || filled > 0 }) {
            case .bytes: break
            case .end: return 0
            case .nothingYet: return nil
            }
            let count = chunk.withUnsafeMutableBytes { bytes in
                let (room, length) = (bytes.baseAddress! + filled, bytes.count - filled)
                return size == nil
                    ? Glibc.read(descriptor, room, length)
                    : pread(descriptor, room, length, begin + consumed + filled)
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw problem(systemError()) }
            filled += count
            if count == 0 { break }
        } while !hasBegun && filled < 2
        if !hasBegun {
            hasBegun = true
            if filled >= 2 && chunk[0] == 0x1f && chunk[1] == 0x8b { inflater = GzipInflater() }
        }
        consumed += filled
        return filled
    }

    private func waitForInput(_ waits: () -> Bool) -> Reading {
        // A file on disk never keeps anybody waiting.
        if size != nil { return .bytes }
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while !shouldStop() {
            // An error is for the read to tell; an interruption is a reason to ask again.
            let ready = poll(&request, 1, 100)
            if ready > 0 || ready < 0 && errno != EINTR { return .bytes }
            if !waits() { return .nothingYet }
        }
        return .end
    }

    private func append(_ count: Int, to buffer: inout [UInt8]) throws(InputProblem) {
        guard let inflater else {
            buffer.append(contentsOf: chunk[..<count])
            return
        }
        do {
            try inflater.inflate(chunk[..<count], into: &buffer)
        } catch {
            throw problem("the gzip data is damaged: \(error.reason)")
        }
    }

    private func problem(_ reason: String) -> InputProblem {
        InputProblem(file: file, line: nil, reason: reason)
    }
}

/// The text of the last system call's error.
func systemError(_ code: Int32 = errno) -> String {
    String(cString: strerror(code))
}
