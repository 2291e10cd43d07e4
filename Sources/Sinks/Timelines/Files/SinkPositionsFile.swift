import Foundation
import RecordLog

/// The file in which a directory's sink keeps its positions:
/// `{"topics": {"timelines": {"0": {"next": 17, "begun": 17, "cluster": "…", "before": {"offset": 16, …}}}}}`. The last
/// two are missing in what earlier releases wrote, and those pass them over. `content` beside `topics` says what the
/// directory's files are, unless they are timelines without folders.
struct SinkPositionsFile {
    static let name = ".tideline-offsets.json"

    /// The content of most directories.
    static let timelines = "timelines"

    /// What the files beside it are.
    var content = Self.timelines
    var positions: [String: [Partition: SinkPosition]]

    /// What cannot be read counts as empty: everything is written anew, which is harmless.
    init(_ json: [UInt8]) {
        positions = [:]
        guard let content = try? JSONDecoder().decode(Content.self, from: Data(json)) else { return }
        self.content = content.content ?? Self.timelines
        for (topic, partitions) in content.topics {
            for (partition, position) in partitions {
                guard let partition = Int32(partition).map({ Partition($0) }) else { continue }
                positions[topic, default: [:]][partition] = position.position
            }
        }
    }

    /// Ascending by key, with a line end.
    var bytes: [UInt8] {
        let topics = positions.mapValues { partitions in
            Dictionary(
                uniqueKeysWithValues: partitions.map { ($0.key.description, StoredPosition($0.value)) })
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let named = content == Self.timelines ? nil : content
        guard let data = try? encoder.encode(Content(content: named, topics: topics)) else {
            preconditionFailure("texts and whole numbers can always be written")
        }
        return Array(data) + [UInt8(ascii: "\n")]
    }

    private struct Content: Codable {
        var content: String?
        var topics: [String: [String: StoredPosition]]
    }
}
