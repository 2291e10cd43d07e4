import Foundation

extension Ledger {
    /// A revision that a recipient must have been told of.
    package struct Announcement: Sendable, Equatable {
        package var configuration: String
        package var recipient: String
        package var kind: String
        package var revision: Int
    }

    /// The last visible change of each agenda: its first event, the next one from now on, has its last title. Whatever
    /// comes after that is shown tomorrow, when a recipient asks for it by itself.
    ///
    /// - Parameter versions: all that was published in `timelines`.
    package func announcements(generations: Int, versions: [Kcat.Record]) -> [Announcement] {
        let wanted = Dictionary(
            uniqueKeysWithValues: (0..<generations).map { (agenda($0), lastTitles(of: $0)[0]) })
        var found: [String: Announcement] = [:]
        for version in versions {
            guard let title = wanted[version.key], found[version.key] == nil, let value = version.value,
                let timeline = try? JSONSerialization.jsonObject(with: value) as? [String: Any],
                let first = (timeline["entries"] as? [[String: Any]])?.first?["event"] as? [String: Any],
                first["title"] as? String == title, let recipient = timeline["recipient"] as? String,
                let kind = timeline["kind"] as? String, let revision = timeline["revision"] as? Int
            else { continue }
            found[version.key] = Announcement(
                configuration: version.key, recipient: recipient, kind: kind, revision: revision)
        }
        return found.values.sorted { $0.configuration < $1.configuration }
    }
}
