package import Foundation

/// The control group that this process runs in, such as a container's, as Linux says it in files.
package struct ControlGroup: Sendable {
    private let groups: URL
    private let membership: URL

    /// - Parameters:
    ///   - groups: where the groups are mounted.
    ///   - membership: the file that names the group of this process.
    package init(
        groups: URL = URL(filePath: "/sys/fs/cgroup"), membership: URL = URL(filePath: "/proc/self/cgroup")
    ) {
        self.groups = groups
        self.membership = membership
    }

    /// The most memory that the group may have, in bytes: the least limit of the group and of those around it. `nil`
    /// means that it has none, or that the system does not say it.
    package var memoryLimit: Int? {
        least(of: "memory") { folder, version in
            switch version {
            case .unified: Self.memory(folder, "memory.max")
            // It has no word for no limit: it says the largest number of pages that it can count.
            case .first: Self.memory(folder, "memory.limit_in_bytes")
            }
        }
    }

    /// The cores whose time the group may use, rounded up, so 1 or more: the least quota of the group and of those
    /// around it. `nil` means that it has none, or that the system does not say it.
    package var coreLimit: Int? {
        least(of: "cpu") { folder, version in
            switch version {
            case .unified:
                let fields = (Self.text(folder, "cpu.max") ?? "").split(separator: " ").map { Int($0) }
                return Self.cores(quota: fields.first ?? nil, period: fields.count > 1 ? fields[1] : Self.usualPeriod)
            case .first:
                let quota = Self.text(folder, "cpu.cfs_quota_us").flatMap { Int($0) }
                return Self.cores(quota: quota, period: Self.text(folder, "cpu.cfs_period_us").flatMap { Int($0) })
            }
        }
    }

    /// The cores that this process may keep busy.
    ///
    /// - Parameter machine: those that the system would let it run on, 1 or more.
    /// - Returns: `machine`, or `coreLimit` where that is less.
    package func cores(of machine: Int) -> Int { min(machine, coreLimit ?? machine) }

    // MARK: - Reading

    private enum Version {
        /// Version 1, with a folder for each kind of limit.
        case first
        /// Version 2, with one folder for all.
        case unified
    }

    private static let limitMax = 1 << 60
    /// In microseconds, where the file does not say it.
    private static let usualPeriod = 100_000

    /// The least limit of a group and of all around it. In a container the names of its groups may be those outside,
    /// which are not there; the container's own group is then the folder itself.
    ///
    /// - Parameters:
    ///   - controller: its name in version 1.
    ///   - limit: reads what the folder of one group says; `nil` means none.
    private func least(of controller: String, _ limit: (_ folder: URL, _ version: Version) -> Int?) -> Int? {
        guard let text = try? String(contentsOf: membership, encoding: .utf8) else { return nil }
        var limits: [Int] = []
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            let path = fields[2].split(separator: "/").map(String.init)
            if fields[1].isEmpty {
                limits += Self.folders(along: path, below: groups).compactMap { limit($0, .unified) }
            } else if fields[1].split(separator: ",").contains(where: { $0 == controller }) {
                let folders = Self.folders(along: path, below: groups.appending(path: controller))
                limits += folders.compactMap { limit($0, .first) }
            }
        }
        return limits.min()
    }

    private static func folders(along path: [String], below folder: URL) -> [URL] {
        (0...path.count).map { count in path.prefix(count).reduce(folder) { $0.appending(path: $1) } }
    }

    private static func text(_ folder: URL, _ file: String) -> String? {
        let text = try? String(contentsOf: folder.appending(path: file), encoding: .utf8)
        return text?.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func memory(_ folder: URL, _ file: String) -> Int? {
        text(folder, file).flatMap { Int($0) }.flatMap { $0 < limitMax ? $0 : nil }
    }

    /// - Parameters:
    ///   - quota: microseconds of processor time in each period; none is a word in version 2 and -1 in version 1.
    ///   - period: in microseconds.
    private static func cores(quota: Int?, period: Int?) -> Int? {
        guard let quota, let period, quota > 0, period > 0 else { return nil }
        return quota / period + (quota % period == 0 ? 0 : 1)
    }
}
