/// One place of a reader in a timeline, as seen at one instant.
public struct PositionSnapshot: Hashable, Sendable {
    /// The id of the entry at which the reader is.
    public var entryId: String
    /// The instant at which the reader was there, by the clock of the device, or as it was moved back (P5).
    public var observedAt: Instant
    /// The index of the entry in the timeline that was shown, from 0 on.
    public var index: Int?
    /// How far the entry was scrolled, in the unit of the app.
    public var offset: Double?
    /// How much of the entry was read, from 0 to 1.
    public var fraction: Double?
    /// The date of the entry; the pipeline fills it in, like `title` and `location`.
    public var entryDate: Instant?
    /// The first line of the entry, as `PositionedEntry` has it.
    public var title: String?
    /// The place that the entry names.
    public var location: String?
    /// How the reader came to this place; `nil` means that nobody said so.
    public var restorationMethod: RestorationMethod?
    /// The instant that the device said, where `observedAt` was moved back because its clock is fast (P5). By it a
    /// place that is told once more is known again.
    public var toldAt: Instant?

    /// A snapshot of these parts. A negative index, a number that is not finite, a fraction outside 0 … 1 and an
    /// instant outside the years 1 to 9999 cannot be kept: the first two become `nil`, the others the nearest that is
    /// allowed.
    public init(
        entryId: String, observedAt: Instant, index: Int? = nil, offset: Double? = nil, fraction: Double? = nil,
        entryDate: Instant? = nil, title: String? = nil, location: String? = nil,
        restorationMethod: RestorationMethod? = nil, toldAt: Instant? = nil
    ) {
        self.entryId = entryId
        self.observedAt = observedAt.nearestWritable
        self.index = index.flatMap { $0 >= 0 ? $0 : nil }
        self.offset = offset.flatMap { $0.isFinite ? $0 : nil }
        self.fraction = fraction.flatMap { $0.isFinite ? min(1, max(0, $0)) : nil }
        self.entryDate = entryDate?.nearestWritable
        self.title = title
        self.location = location
        self.restorationMethod = restorationMethod
        self.toldAt = toldAt?.nearestWritable
    }
}

/// An entry that a reader has seen or dismissed, and when.
public struct EntryMark: Hashable, Sendable {
    /// The id of the entry.
    public var entryId: String
    /// The instant at which the reader did so.
    public var at: Instant

    /// A mark of an entry. An instant outside the years 1 to 9999 becomes the nearest of them.
    public init(entryId: String, at: Instant) {
        self.entryId = entryId
        self.at = at.nearestWritable
    }
}

// MARK: - Codable

extension PositionSnapshot: Codable {
    private enum CodingKeys: String, CodingKey {
        case entryId, observedAt, index, offset, fraction, entryDate, title, location, restorationMethod, toldAt
    }

    /// Reads instants as RFC 3339 texts or as milliseconds since 1970.
    ///
    /// - Throws: a `DecodingError` that names the key, for a negative index and a fraction outside 0 … 1, too.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let index = try container.decodeIfPresent(Int.self, forKey: .index)
        if let index, index < 0 {
            throw DecodingError.dataCorruptedError(
                forKey: .index, in: container, debugDescription: "\(index) is negative; allowed are 0 and more")
        }
        let fraction = try container.decodeIfPresent(Double.self, forKey: .fraction)
        if let fraction, !(0...1).contains(fraction) {
            throw DecodingError.dataCorruptedError(
                forKey: .fraction, in: container, debugDescription: "\(fraction) is not allowed; 0 to 1 are")
        }
        self.init(
            entryId: try container.decodeText(forKey: .entryId),
            observedAt: try container.decodeInstant(forKey: .observedAt), index: index,
            offset: try container.decodeIfPresent(Double.self, forKey: .offset), fraction: fraction,
            entryDate: try container.decodeInstantIfPresent(forKey: .entryDate),
            title: try container.decodeIfPresent(String.self, forKey: .title),
            location: try container.decodeIfPresent(String.self, forKey: .location),
            restorationMethod: try container.decodeIfPresent(RestorationMethod.self, forKey: .restorationMethod),
            toldAt: try container.decodeInstantIfPresent(forKey: .toldAt))
    }

    /// Writes what is known; instants are RFC 3339 texts in UTC.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(entryId, forKey: .entryId)
        try container.encodeInstant(observedAt, forKey: .observedAt)
        try container.encodeIfPresent(index, forKey: .index)
        try container.encodeIfPresent(offset, forKey: .offset)
        try container.encodeIfPresent(fraction, forKey: .fraction)
        try container.encodeInstantIfPresent(entryDate, forKey: .entryDate)
        try container.encodeIfPresent(title, forKey: .title)
        try container.encodeIfPresent(location, forKey: .location)
        try container.encodeIfPresent(restorationMethod, forKey: .restorationMethod)
        try container.encodeInstantIfPresent(toldAt, forKey: .toldAt)
    }
}

extension EntryMark: Codable {
    private enum CodingKeys: String, CodingKey { case entryId, at }

    /// Reads the instant as an RFC 3339 text or as milliseconds since 1970.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            entryId: try container.decodeText(forKey: .entryId), at: try container.decodeInstant(forKey: .at))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(entryId, forKey: .entryId)
        try container.encodeInstant(at, forKey: .at)
    }
}
