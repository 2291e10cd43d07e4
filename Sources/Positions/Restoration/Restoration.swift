/// The place where a reader goes on, and how sure that is (P9).
public struct Restoration: Hashable, Sendable {
    /// The index among the entries; `nil` means that there are none.
    public var index: Int?
    /// How far the entry is scrolled, in the unit of the app: the saved one for an exact match and for
    /// `LastKnownPosition`, and 0 for all others, which are other entries.
    public var offset: Double
    /// How the place was found.
    public var method: RestorationMethod
    /// 1 for an exact match, 0.9 to 0.5 by time, 0.5 to 0.25 by content, 0.1 for a fallback.
    public var confidence: Double
    /// Other places that the reader may have meant, at most three, the best first.
    public var suggestions: [RestorationSuggestion]

    /// A restoration of these parts.
    public init(
        index: Int?, offset: Double, method: RestorationMethod, confidence: Double,
        suggestions: [RestorationSuggestion] = []
    ) {
        self.index = index
        self.offset = offset
        self.method = method
        self.confidence = confidence
        self.suggestions = suggestions
    }
}

/// A place that a reader may want to go to (P11).
public struct RestorationSuggestion: Hashable, Codable, Sendable {
    /// The first line of the entry, or its date where it has none.
    public var title: String
    /// A sentence that says why the place is suggested.
    public var description: String
    /// The id of the entry.
    public var entryId: String
    /// The index of the entry.
    public var index: Int
    /// How likely it is that the reader means this place, from 0 to 1.
    public var confidence: Double

    /// A suggestion of these parts.
    public init(title: String, description: String, entryId: String, index: Int, confidence: Double) {
        self.title = title
        self.description = description
        self.entryId = entryId
        self.index = index
        self.confidence = confidence
    }
}

/// How many restores each method has made.
public struct RestorationCounts: Hashable, Sendable {
    private var counts: [RestorationMethod: Int] = [:]

    /// No restores yet.
    public init() {}

    /// How many restores a method has made.
    public subscript(method: RestorationMethod) -> Int { counts[method] ?? 0 }

    /// How many restores there were.
    public var total: Int { counts.values.reduce(0, +) }

    /// Counts one restore.
    public mutating func count(_ method: RestorationMethod) { counts[method, default: 0] += 1 }

    /// Adds the restores that another one counted.
    public static func + (left: RestorationCounts, right: RestorationCounts) -> RestorationCounts {
        var sum = left
        sum.counts.merge(right.counts, uniquingKeysWith: +)
        return sum
    }
}

// MARK: - Codable

extension Restoration: Codable {
    private enum CodingKeys: String, CodingKey { case index, offset, method, confidence, suggestions }

    /// Writes every key; an index that is not there is null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(index, forKey: .index)
        try container.encode(offset, forKey: .offset)
        try container.encode(method, forKey: .method)
        try container.encode(confidence, forKey: .confidence)
        try container.encode(suggestions, forKey: .suggestions)
    }
}

extension RestorationMethod: CodingKey {}

extension RestorationCounts: Codable {
    /// Reads an object of counts by method; an absent one is 0.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: RestorationMethod.self)
        for method in RestorationMethod.allCases {
            let count = try container.decodeIfPresent(Int.self, forKey: method) ?? 0
            if count != 0 { counts[method] = count }
        }
    }

    /// Writes an object of counts by method, with each method.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: RestorationMethod.self)
        for method in RestorationMethod.allCases { try container.encode(self[method], forKey: method) }
    }
}
