import Foundation

/// What this process holds in memory, in bytes, as Linux counts it.
package struct MemoryUse {
    /// Pages in memory.
    package var resident: Int
    /// The most that ever were.
    package var peakResident: Int

    package static func now() throws -> MemoryUse {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        func bytes(_ field: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(field + ":") }
            guard let words = line?.split(whereSeparator: \.isWhitespace), words.count > 1, let size = Int(words[1])
            else {
                preconditionFailure("Linux says \(field) in /proc/self/status.")
            }
            return size * 1024
        }
        return MemoryUse(resident: bytes("VmRSS"), peakResident: bytes("VmHWM"))
    }
}
