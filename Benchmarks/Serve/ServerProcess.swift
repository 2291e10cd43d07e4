import Foundation

/// A server in a process of its own, ended with this one.
final class ServerProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// - Parameter log: a file for what it writes, its first line included.
    init(_ executable: String, _ arguments: [String], quietly log: URL? = nil) throws {
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        if let log {
            try Data().write(to: log)
            let file = try FileHandle(forWritingTo: log)
            process.standardOutput = file
            process.standardError = file
        }
        try process.run()
    }

    deinit {
        end()
    }

    /// Reads the first line that it writes.
    func firstLine() throws -> String {
        var bytes: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    func end() {
        guard process.isRunning else { return }
        try? input.fileHandleForWriting.close()
        process.terminate()
        process.waitUntilExit()
    }

    /// Its memory in megabytes, as Linux counts resident pages.
    var residentMegabytes: Double {
        let path = "/proc/\(process.processIdentifier)/status"
        guard let status = try? String(contentsOfFile: path, encoding: .utf8) else { return .nan }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first).flatMap { Double($0) }.map { $0 / 1024 }
            ?? .nan
    }
}
