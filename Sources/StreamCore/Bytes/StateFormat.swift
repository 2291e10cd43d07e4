/// The formats of state and messages. A release reads its own and those before, and writes the one that it found until
/// `state.format` says otherwise (R18).
///
/// Public, because the stores' generic code needs it where it is compiled for its values.
public enum StateFormat {
    /// The format of values without a version. `state.format` 1 has the same bytes, and leaves readers' positions
    /// unread.
    @inlinable public static var unversioned: UInt8 { 2 }
    /// From this format on each value and each exchange record begins with the format's number.
    @inlinable public static var versioned: UInt8 { 3 }
    /// From this format on values that follow from others are not written (`StateStore.isDerived`).
    @inlinable public static var derived: UInt8 { 4 }
    @inlinable public static var newest: UInt8 { derived }
    /// Added to a store's number in the key of a versioned value, so that a release that knows none refuses it.
    @inlinable public static var versionedKey: UInt8 { 0x80 }

    /// - Throws: if a value or message with a version is of a format that this release does not read.
    @inlinable
    static func check(_ format: UInt8) throws(CorruptBytes) {
        guard (versioned...newest).contains(format) else { throw unknown(format) }
    }

    @usableFromInline
    static func unknown(_ format: UInt8) -> CorruptBytes {
        CorruptBytes("format \(format) is unknown: this release reads \(unversioned) to \(newest)")
    }
}
