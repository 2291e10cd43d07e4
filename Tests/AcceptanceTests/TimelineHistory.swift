import Foundation
import RecordLog
import Testing

/// Everything that was ever published in `timelines`, as read_committed readers see it.
struct TimelineHistory {
    /// The records by configuration, in the order of their offsets; a value of `nil` is a tombstone.
    private let versions: [String: [[String: Any]]]
    var configurations: Int { versions.count }
    var records: Int { versions.values.reduce(0) { $0 + $1.count } }

    init(_ records: [Record]) throws {
        versions = try Dictionary(grouping: records, by: \.keyText).mapValues { try $0.map { try $0.json() } }
    }

    /// No configuration's revision falls or jumps, equal revisions have equal content, and others another content.
    ///
    /// Compares the contents of runs under a clock that stands, where all are of the same instant.
    func expectSoundRevisions(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(!versions.isEmpty, sourceLocation: sourceLocation)
        for (configuration, timelines) in versions.sorted(by: { $0.key < $1.key }) {
            var last: (revision: Int, content: NSDictionary)?
            for timeline in timelines {
                let revision = try #require(timeline["revision"] as? Int)
                let content = Self.content(of: timeline)
                if let last {
                    #expect(
                        revision == last.revision || revision == last.revision + 1,
                        "\(configuration): revision \(revision) after \(last.revision)", sourceLocation: sourceLocation)
                    #expect(
                        (revision == last.revision) == (content == last.content),
                        "\(configuration): revisions \(last.revision) and \(revision): \(last.content), \(content)",
                        sourceLocation: sourceLocation)
                } else {
                    #expect(
                        revision == 1, "\(configuration) begins with revision \(revision)",
                        sourceLocation: sourceLocation)
                }
                last = (revision, content)
            }
        }
    }

    /// T6, of a timeline at the instant at which it was made.
    static func content(of timeline: [String: Any]) -> NSDictionary {
        var entries = timeline["entries"] as? [[String: Any]] ?? []
        for index in entries.indices {
            entries[index]["id"] = nil
            if index == 0 || entries[index]["phase"] as? String == "stale" { entries[index]["date"] = nil }
            guard var vehicle = entries[index]["vehicle"] as? [String: Any] else { continue }
            vehicle["observedAt"] = nil
            if let speed = vehicle["speed"] as? Double { vehicle["speed"] = speed.rounded() }
            let hasAddress = (vehicle["location"] as? String)?.wholeMatch(of: #/-?\d+\.\d{5}, -?\d+\.\d{5}/#) == nil
            for key in ["latitude", "longitude"] {
                vehicle[key] = hasAddress ? nil : (vehicle[key] as? Double).map { ($0 * 100_000).rounded() }
            }
            entries[index]["vehicle"] = vehicle
        }
        return ["kind": timeline["kind"] ?? "", "family": timeline["family"] ?? "", "entries": entries]
    }
}
