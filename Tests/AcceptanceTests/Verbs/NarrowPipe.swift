import Foundation
import Glibc
import TestSupport
import Testing

/// The reader's end of a named pipe that holds one page: whoever writes into it waits as soon as nobody reads on.
///
/// One task uses it.
final class NarrowPipe {
    let path: String
    private let descriptor: Int32
    private var bytes: [UInt8] = []

    init() throws {
        path = TemporaryDirectory.make("narrow").appending(path: "pipe").path
        try #require(mkfifo(path, 0o600) == 0)
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(descriptor >= 0)
        try #require(fcntl(descriptor, 1031 /* F_SETPIPE_SZ, which Swift does not import */, 4096) >= 4096)
    }

    deinit {
        close(descriptor)
    }

    /// All that was read.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Reads until so many lines came in all, or to the end of what the program writes.
    func read(from writer: ProcessRunner, lines: Int) async throws {
        var page = [UInt8](repeating: 0, count: 4096)
        var count = bytes.count { $0 == UInt8(ascii: "\n") }
        while count < lines {
            let isRunning = writer.isRunning
            let size = Glibc.read(descriptor, &page, page.count)
            if size > 0 {
                bytes += page[..<size]
                count += page[..<size].count { $0 == UInt8(ascii: "\n") }
            } else if !isRunning {
                return
            } else {
                // Nobody has opened it yet, or nothing is in it now.
                try await Task.sleep(for: .milliseconds(1))
            }
        }
    }
}
