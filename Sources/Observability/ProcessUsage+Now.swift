import Foundation

/// What this process holds now, as Linux says it in /proc. Elsewhere nothing is said.
extension ProcessUsage {
    /// Memory that is resident, in bytes; `nil` if the system does not say it.
    package static var residentMemory: Int? {
        var text = [UInt8](repeating: 0, count: 128)
        let count = pread(statistics, &text, text.count, 0)
        guard count > 0 else { return nil }
        let fields = String(decoding: text[..<count], as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? Int(fields[1]).map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) } : nil
    }

    /// Stays open, so that it can be read when no descriptor is left.
    private static let statistics = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)

    /// The descriptors that are open, and how many may be; `nil` if the system does not say it. Where none is left to
    /// look with, all are open.
    package static var openFiles: (open: Int, limit: Int)? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        let most = Int(clamping: limit.rlim_cur)
        guard let folder = opendir("/proc/self/fd") else { return errno == EMFILE ? (most, most) : nil }
        defer { closedir(folder) }
        // Itself, and the folder's own and its parent's names.
        var open = -3
        while readdir(folder) != nil { open += 1 }
        return (open, most)
    }
}
