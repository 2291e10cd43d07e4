package import Messages
package import RecordLog

/// A topic that the gateway reads.
package enum ViewedTopic: Int, CaseIterable, Sendable {
    case timelines, reloads, configurations, positions, merged

    /// The letter of the topics whose positions clients keep.
    fileprivate var letter: Character? {
        switch self {
        case .timelines: "t"
        case .reloads: "r"
        case .merged: "m"
        case .configurations, .positions: nil
        }
    }
}

/// A position in the partitions of several topics: the next offset of each. As text it is the id of a server-sent event
/// and the cursor of reloads. Every server reads the same topics, so any of them can go on from it.
///
/// The text is safe in addresses: for each topic its letter, then its offsets with base 36, such as `t3f-0_r12`.
package struct OffsetVector: Hashable, Sendable {
    /// By topic the offsets of the partitions from 0.
    package private(set) var offsets: [ViewedTopic: [Offset]] = [:]

    package init() {}

    package subscript(topic: ViewedTopic) -> [Offset] {
        get { offsets[topic] ?? [] }
        set { offsets[topic] = newValue }
    }

    /// The offsets of a topic by partition.
    package func positions(of topic: ViewedTopic) -> [Partition: Offset] {
        Dictionary(uniqueKeysWithValues: self[topic].enumerated().map { (Partition(Int32($0)), $1) })
    }

    package mutating func set(_ topic: ViewedTopic, _ partition: Partition, _ offset: Offset) {
        let index = Int(partition)
        let missing = index + 1 - (offsets[topic]?.count ?? 0)
        if missing > 0 { offsets[topic, default: []] += Array(repeating: Offset(0), count: missing) }
        offsets[topic]![index] = offset
    }

    package var text: String { text(of: ViewedTopic.allCases) }

    package func text(of topics: [ViewedTopic]) -> String {
        topics.compactMap { topic -> String? in
            guard let letter = topic.letter, let offsets = offsets[topic], !offsets.isEmpty else { return nil }
            return String(letter) + offsets.map { String($0.rawValue, radix: 36) }.joined(separator: "-")
        }.joined(separator: "_")
    }

    /// - Returns: `nil` if the text is no vector.
    package init?(text: String) {
        guard text.utf8.count <= 65_536 else { return nil }
        for part in text.split(separator: "_", omittingEmptySubsequences: false) {
            guard let letter = part.first, let topic = ViewedTopic.allCases.first(where: { $0.letter == letter }),
                offsets[topic] == nil
            else { return nil }
            var list: [Offset] = []
            for number in part.dropFirst().split(separator: "-", omittingEmptySubsequences: false) {
                guard number.first != "+", let offset = Int64(number, radix: 36), offset >= 0 else { return nil }
                list.append(Offset(offset))
            }
            offsets[topic] = list
        }
    }
}

extension TopicNames {
    /// The topics that the gateway reads.
    package var viewed: [ViewedTopic: String] {
        [
            .timelines: timelines, .reloads: reloads, .configurations: configurations, .positions: positions,
            .merged: positionsMerged,
        ]
    }
}
