import Foundation

/// What this process holds now, as Linux says it in /proc. Elsewhere nothing is said.
extension ProcessUsage {
    /// Memory that is resident, in bytes; `nil` if the system does not say it.
    package static var residentMemory: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let fields = text.split(separator: " ")
        return fields.count > 1 ? Int(fields[1]).map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) } : nil
    }

    /// The descriptors that are open, and how many may be; `nil` if the system does not say it.
    package static var openFiles: (open: Int, limit: Int)? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        else { return nil }
        return (names.count, Int(clamping: limit.rlim_cur))
    }
}
