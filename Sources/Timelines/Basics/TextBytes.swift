internal import Foundation

/// Text is ordered and told apart by its UTF-8 bytes (Documentation/Rules/Timelines.md), where Swift's own operators
/// take canonically equivalent texts for the same.
extension String {
    package func precedesByUTF8(_ other: String) -> Bool { orderByUTF8(to: other) < 0 }

    /// Below zero if this text comes before the other, zero if it has the same bytes.
    package func orderByUTF8(to other: String) -> Int {
        var other = other
        return other.withUTF8 { order(to: $0) }
    }

    package func isSameByUTF8(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        var other = other
        return other.withUTF8 { order(to: $0) == 0 }
    }

    /// Below zero if this text comes before one of these bytes, zero if it has the same; for whoever compares many
    /// texts with one.
    package func order(to other: UnsafeBufferPointer<UInt8>) -> Int {
        var text = self
        return text.withUTF8 { text in
            let common = min(text.count, other.count)
            guard common > 0, let left = text.baseAddress, let right = other.baseAddress else {
                return text.count - other.count
            }
            let difference = Int(memcmp(left, right, common))
            return difference != 0 ? difference : text.count - other.count
        }
    }
}
