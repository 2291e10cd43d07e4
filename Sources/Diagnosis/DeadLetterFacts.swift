package import RecordLog

/// The dead letters with which nobody has done anything yet.
package struct DeadLetterFacts: Hashable, Sendable {
    package var topic: String
    package var waiting: Waiting

    package enum Waiting: Hashable, Sendable {
        /// So many, and a sentence that counts them by reason.
        case counted(Int, String)
        /// So many of the newest records, and a sentence that counts them by reason. Older ones were not read.
        case atLeast(Int, String)
        /// It cannot be told.
        case failed(String)
    }

    package init(topic: String, waiting: Waiting) {
        self.topic = topic
        self.waiting = waiting
    }

    /// The most records that are read: more would take longer than all else.
    package static let recordsMax: Int64 = 100_000

    /// Where to begin in each partition in order to read no more than the newest `recordsMax` offsets, of each
    /// partition as large a share as it has of all.
    ///
    /// - Returns: nothing if there are no more than that: all are to be read.
    package static func newest(
        from lows: [TopicPartition: Offset], to ends: [TopicPartition: Offset]
    ) -> [Partition: Offset] {
        let sizes = ends.mapValues { $0.rawValue }.map { place, end in
            (place: place, end: end, size: end - (lows[place]?.rawValue ?? 0))
        }
        let total = sizes.reduce(Int64(0)) { $0 + $1.size }
        guard total > recordsMax else { return [:] }
        var begin: [Partition: Offset] = [:]
        for partition in sizes {
            let share = Int64(Double(partition.size) / Double(total) * Double(recordsMax))
            begin[partition.place.partition] = Offset(partition.end - share)
        }
        return begin
    }

    /// - Parameter command: makes a whole command line of a verb with its words.
    package func finding(command: (String) -> String) -> Finding {
        switch waiting {
        case .failed(let reason): return Finding(.deadLetters, topic, .notice, "cannot be told: \(reason)")
        case .counted(0, _): return Finding(.deadLetters, topic, .good, "none waits")
        case .atLeast(0, _):
            return Finding(
                .deadLetters, topic, .notice,
                "none of the newest \(Self.recordsMax.counted("record")) waits, older ones were not read",
                remedy: command("dead-letters list --counts"))
        case .counted(let count, let sentence):
            return bad("\(count.counted("dead letter")) \(count == 1 ? "waits" : "wait"): \(sentence)", command)
        case .atLeast(let count, let sentence):
            let read = "of the newest \(Self.recordsMax.counted("record"))"
            let number = "at least \(count.counted("dead letter"))"
            return bad("\(number) \(count == 1 ? "waits" : "wait"): \(sentence) \(read)", command)
        }
    }

    private func bad(_ text: String, _ command: (String) -> String) -> Finding {
        Finding(
            .deadLetters, topic, .bad, text,
            remedy: "Look at the reasons. Once the cause is mended, 'dead-letters replay' puts them back;"
                + " 'dead-letters drop' sets aside what nobody wants: \(command("dead-letters list --counts"))")
    }
}
