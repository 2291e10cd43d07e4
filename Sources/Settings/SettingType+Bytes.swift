extension SettingType<Int> {
    /// A number of bytes, with or without a unit: `67108864`, `64MiB`, `1.5GiB`, `500MB`. It is written in the largest
    /// binary unit of which it is a whole number.
    package static func bytes(_ range: ClosedRange<Int>) -> Self {
        SettingType(
            allowed: "a size from \(ByteSize.text(range.lowerBound)) to \(ByteSize.text(range.upperBound)),"
                + " such as 512MiB, 1.5GiB, 500MB or a number of bytes",
            read: { text in ByteSize.read(text).flatMap { range.contains($0) ? $0 : nil } },
            write: { ByteSize.text($0) })
    }
}

/// Sizes as people write them.
package enum ByteSize {
    /// In the order in which `text` tries the binary ones.
    private static let units: [(name: String, bytes: Int)] = [
        ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("TB", 1_000_000_000_000),
        ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000), ("B", 1),
    ]
    private static let binaryUnits = units.prefix(4)

    /// - Returns: `nil` for a text that is no size.
    package static func read(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        let name = text.dropFirst(digits.count).drop { $0 == " " }
        let bytes = name.isEmpty ? 1 : units.first { $0.name == name }?.bytes
        guard let bytes, digits.first != ".", digits.last != "." else { return nil }
        if let whole = Int(digits) {
            let (product, isTooLarge) = whole.multipliedReportingOverflow(by: bytes)
            return isTooLarge ? nil : product
        }
        guard bytes > 1, let number = Double(digits) else { return nil }
        return Int(exactly: (number * Double(bytes)).rounded(.down))
    }

    /// Exact: `512MiB`, or a number of bytes.
    package static func text(_ bytes: Int) -> String {
        let unit = binaryUnits.first { bytes > 0 && bytes % $0.bytes == 0 }
        return unit.map { "\(bytes / $0.bytes)\($0.name)" } ?? "\(bytes)"
    }

    /// For people, with one decimal: `410.3 MiB`.
    package static func rounded(_ bytes: Int) -> String {
        let unit = binaryUnits.first { bytes >= $0.bytes }
        guard let unit else { return "\(bytes) bytes" }
        let tenths = (Double(bytes) / Double(unit.bytes) * 10).rounded()
        return "\(tenths / 10) \(unit.name)"
    }
}
