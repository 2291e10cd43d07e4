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
        guard let text = try? String(contentsOf: membership, encoding: .utf8) else { return nil }
        var limits: [Int] = []
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            let path = fields[2].split(separator: "/").map(String.init)
            if fields[1].isEmpty {
                limits += Self.limits(along: path, below: groups, file: "memory.max")
            } else if fields[1].split(separator: ",").contains("memory") {
                limits += Self.limits(along: path, below: groups.appending(path: "memory"), file: Self.version1File)
            }
        }
        return limits.min()
    }

    /// Version 1 has no word for no limit: it says the largest number of pages that it can count.
    private static let version1File = "memory.limit_in_bytes"
    private static let limitMax = 1 << 60

    /// The limits of a group and of all around it. In a container the names of its groups may be those outside, which
    /// are not there; the container's own group is then the folder itself.
    private static func limits(along path: [String], below folder: URL, file: String) -> [Int] {
        (0...path.count).compactMap { count in
            let group = path.prefix(count).reduce(folder) { $0.appending(path: $1) }
            guard let text = try? String(contentsOf: group.appending(path: file), encoding: .utf8) else { return nil }
            return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)).flatMap { $0 < limitMax ? $0 : nil }
        }
    }
}
