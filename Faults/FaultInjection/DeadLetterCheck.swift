import Foundation

/// The records of the input that two runs could not use, by their places; each of them makes one dead letter.
package struct DeadLetterCheck {
    /// Topic, partition and offset of each dead letter's record, in the order of the letters.
    package let places: [String]

    /// - Parameter headers: of each dead letter, as kcat prints them.
    package init(_ headers: [String]) {
        places = headers.map { text in
            ["topic", "partition", "offset"].map { Self.value(of: "__streams.errors." + $0, in: text) }
                .joined(separator: "/")
        }
    }

    /// The records that are there twice, that this run lacks, and that it alone has.
    ///
    /// - Parameters:
    ///   - undisturbed: of a run over the same input.
    ///   - remade: a topic that was made again, so that only this run has read all of its records.
    package func faults(undisturbed: DeadLetterCheck, remade: String?) -> [String] {
        let (mine, others) = (Set(places), Set(undisturbed.places))
        var seen: Set<String> = []
        let twice = places.filter { !seen.insert($0).inserted && !isOf(remade, $0) }
        let only = mine.subtracting(others).filter { !isOf(remade, $0) }
        return twice.map { "\($0) is there twice" } + others.subtracting(mine).sorted().map { "\($0) is missing" }
            + only.sorted().map { "\($0) is only in the disturbed run" }
    }

    private func isOf(_ topic: String?, _ place: String) -> Bool { topic.map { place.hasPrefix($0 + "/") } ?? false }

    private static func value(of name: String, in text: String) -> Substring {
        guard let start = text.range(of: name + "=")?.upperBound else { return "?" }
        return text[start...].prefix { $0 != "," }
    }
}
