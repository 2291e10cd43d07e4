import Messages
import Positions
import RecordLog
import StreamCore
import Timelines

/// Keeps a reader's state and merged record small enough for their topics (P7, R11): what is oldest is forgotten.
struct ReaderBounds {
    private let mergedBytesMax: Int
    private let stateBytesMax: Int

    init(_ settings: PipelineSettings) {
        mergedBytesMax = settings.positionsBytesMax
        stateBytesMax = settings.readerBytesMax
    }

    /// Forgets places and marks of a reader until both records fit.
    ///
    /// - Returns: how many were forgotten.
    func fit(_ state: inout ReaderState, of key: ReaderKey) -> Int {
        let count = state.positions.partsCount
        var limited = PositionSettings()
        while !fits(state, key) {
            guard let newest = state.positions.newestInstant, let oldest = state.positions.oldestInstant else { break }
            guard newest > oldest else {
                keepNewest(&state)
                break
            }
            // Half of the time goes, again and again, so this ends soon whatever there is.
            limited.expiry = ElapsedTime(milliseconds: max(1, (newest - oldest).milliseconds / 2))
            state.positions.expire(at: newest, settings: limited)
        }
        return count - state.positions.partsCount
    }

    private func keepNewest(_ state: inout ReaderState) {
        let newest = state.positions.newest.map {
            ReaderPositions.DeviceHistory(deviceId: $0.deviceId, snapshots: [$0.position])
        }
        state.positions = ReaderPositions(
            histories: newest.map { [$0] } ?? [], readEntries: [], dismissed: [], settings: PositionSettings())
    }

    private func fits(_ state: ReaderState, _ key: ReaderKey) -> Bool {
        var stored = ByteWriter(capacity: 1024)
        state.encode(into: &stored)
        if stored.count > stateBytesMax { return false }
        // JSON takes six bytes for one at the most, and names of fields.
        let partsBytes = stored.count * 8 + state.positions.partsCount * 256
        // The record's key, id and subject.
        let namesBytes = key.text.utf8.count * 3
        if partsBytes + namesBytes <= mergedBytesMax { return true }
        var json = JSONWriter()
        state.positions.merged(readerId: key.readerId, configurationId: key.configurationId)?.write(to: &json)
        return json.count + namesBytes <= mergedBytesMax
    }
}

extension ReaderPositions {
    private var instants: [Instant] {
        histories.flatMap { $0.snapshots.map(\.observedAt) } + readEntries.map(\.at) + dismissed.map(\.at)
    }

    fileprivate var newestInstant: Instant? { instants.max() }
    fileprivate var oldestInstant: Instant? { instants.min() }
}
