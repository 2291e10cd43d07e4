/// Text is ordered and told apart by its UTF-8 bytes (Documentation/Rules/Timelines.md), where Swift's own operators
/// take canonically equivalent texts for the same.
extension String {
    package func precedesByUTF8(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }

    package func isSameByUTF8(as other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}
