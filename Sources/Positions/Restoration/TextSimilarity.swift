/// A measure of how much two texts say the same.
public protocol TextSimilarity: Sendable {
    /// A number from 0, nothing in common, to 1, the same. The order of the two makes no difference.
    func similarity(of text: String, to other: String) -> Double
}

/// The Jaccard index of the lower-cased words of two texts: how many they share, of how many there are in both.
///
/// A word is a run of letters and digits. Texts without words have nothing in common with any other.
public struct JaccardSimilarity: TextSimilarity {
    /// The measure has no options.
    public init() {}

    public func similarity(of text: String, to other: String) -> Double {
        index(words(of: text), words(of: other))
    }

    func index(_ words: Set<Substring>, _ others: Set<Substring>) -> Double {
        let union = words.union(others).count
        return union == 0 ? 0 : Double(words.intersection(others).count) / Double(union)
    }

    func words(of text: String) -> Set<Substring> {
        Set(text.lowercased().split { !$0.isLetter && !$0.isNumber })
    }
}
