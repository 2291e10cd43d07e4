import Glibc

/// A file or standard input, read from its beginning to its end. What begins with gzip's magic bytes is unpacked,
/// whatever the file is called.
final class ByteSource {
    let file: String
    private let descriptor: Int32
    private let size: Int?
    private let shouldStop: () -> Bool
    private var consumed = 0
    private var chunk = [UInt8](repeating: 0, count: 1 << 16)
    private var inflater: GzipInflater?
    private var hasBegun = false

    /// - Parameters:
    ///   - file: a path; `-` is standard input.
    ///   - shouldStop: asked several times a second while nothing comes through a pipe; true is the input's end.
    init(file: String, shouldStop: @escaping () -> Bool = { false }) throws(InputProblem) {
        self.file = file
        self.shouldStop = shouldStop
        descriptor = file == "-" ? dup(STDIN_FILENO) : open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw InputProblem(file: file, line: nil, reason: systemError()) }
        var status = stat()
        let isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        size = isRegular ? Int(status.st_size) : nil
    }

    deinit {
        close(descriptor)
    }

    /// Of the bytes on disk, packed or not.
    var fractionDone: Double? {
        guard let size else { return nil }
        return size == 0 ? 1 : min(1, Double(consumed) / Double(size))
    }

    /// Appends what comes next to `buffer`; waits where nothing is there yet.
    ///
    /// - Returns: false at the end, with nothing appended.
    func read(into buffer: inout [UInt8]) throws(InputProblem) -> Bool {
        let before = buffer.count
        repeat {
            let count = try readChunk()
            guard count > 0 else {
                if let inflater, !inflater.isAtEnd { throw problem("the gzip data ends too early") }
                return buffer.count > before
            }
            try append(count, to: &buffer)
        } while buffer.count == before
        return true
    }

    private func readChunk() throws(InputProblem) -> Int {
        var filled = 0
        // The magic bytes may arrive one by one through a pipe.
        repeat {
            guard waitForInput() else { return 0 }
            let count = chunk.withUnsafeMutableBytes { bytes in
                Glibc.read(descriptor, bytes.baseAddress! + filled, bytes.count - filled)
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

    /// - Returns: false where it was stopped first.
    private func waitForInput() -> Bool {
        // A file on disk never keeps anybody waiting.
        if size != nil { return true }
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while !shouldStop() {
            // An error is for the read to tell; an interruption is a reason to ask again.
            let ready = poll(&request, 1, 200)
            if ready > 0 || ready < 0 && errno != EINTR { return true }
        }
        return false
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
