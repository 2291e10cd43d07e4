import HTTPServer
import Timelines

/// The entries of a stored timeline, found in its JSON.
struct TimelineEntries {
    private let text: JSONText
    /// The places of the entries, ascending by date.
    private let places: [Range<Int>]

    init(_ text: JSONText) {
        self.text = text
        places = text.member("entries", of: text.whole).map { text.elements(of: $0) } ?? []
    }

    var count: Int { places.count }

    /// The JSON of an entry.
    subscript(index: Int) -> UnsafeRawBufferPointer { text.slice(places[index]) }

    func index(of id: String) -> Int? {
        places.firstIndex { place in self.id(at: place)?.isSameByUTF8(as: id) ?? false }
    }

    func date(_ index: Int) -> Instant? { try? RawFields(text, places[index]).instant("date") }

    func phase(_ index: Int) -> String? { try? RawFields(text, places[index]).text("phase") }

    /// The last entry whose date has come (T2); `nil` before the first.
    func inForce(at instant: Instant) -> Int? {
        places.indices.last { index in date(index).map { $0 <= instant } ?? false }
    }

    private func id(at place: Range<Int>) -> String? {
        text.member("id", of: place).flatMap { text.text(at: $0) }
    }
}
