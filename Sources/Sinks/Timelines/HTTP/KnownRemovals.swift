import RecordLog
import Timelines

/// The configurations whose timelines go elsewhere, and of which the target is told, or was told in this run, that they
/// are gone: their next timeline needs no request.
///
/// Those that are deleted are forgotten, for nothing more comes of them. Beyond `countMax` none is remembered: then the
/// target is told again with each timeline, which changes nothing there.
struct KnownRemovals {
    private let countMax: Int
    private var places = TextDictionary<Place>()

    private struct Place: Hashable {
        var partition: Partition
        var offset: Offset
        var isTaken = false
    }

    init(countMax: Int) { self.countMax = countMax }

    /// True if the target has taken that it is gone, and nothing of it was sent since.
    func isTaken(_ id: String) -> Bool { places[id]?.isTaken ?? false }

    /// The target is to be told by this record.
    mutating func begin(_ id: String, _ record: Record) {
        guard record.value != nil else { return forget(id) }
        guard places[id] != nil || places.count < countMax else { return }
        places[id] = Place(partition: record.partition, offset: record.offset)
    }

    /// The target has taken what this record says. A timeline that came meanwhile counts more.
    mutating func take(_ id: String, _ record: Record) {
        guard let place = places[id], (place.partition, place.offset) == (record.partition, record.offset) else {
            return
        }
        places[id]?.isTaken = true
    }

    mutating func forget(_ id: String) { places[id] = nil }
}
