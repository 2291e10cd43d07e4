import HTTPServer
import Messages
import Positions
import RecordLog
import Timelines

/// The positions that a write begins with, so that none is lost.
extension PositionWrites {
    func stored(_ reader: ReaderKey) -> StoredPositions? {
        context.views.positions(readerId: reader.readerId, configurationId: reader.configurationId)
    }

    /// True if this server has written a position of the reader that the views have not read.
    func hasUnread(_ reader: ReaderKey) -> Bool {
        unread.keys.contains { key in
            guard key.reader == reader else { return false }
            if case .none = unread.latest(key, isRead: isRead) { return false }
            return true
        }
    }

    /// The positions as this server knows them, its own writes included.
    func known(_ reader: ReaderKey) -> ReaderPositions {
        var known = stored(reader)?.known(settings, now: context.clock.wall) ?? ReaderPositions()
        for key in unread.keys where key.reader == reader {
            switch unread.latest(key, isRead: isRead) {
            case .none: break
            case .written(nil): known.forget(deviceId: key.deviceId)
            case .written(let write?): known.record(write.record, arrival: write.arrival, settings: settings)
            }
        }
        known.expire(at: context.clock.wall, settings: settings)
        return known
    }

    func isRead(_ place: RecordPlace) -> Bool {
        context.views.hasRead(.positions, place.partition, place.offset)
    }

    /// The marks that a device has told itself, with those of a record that it tells now.
    func marks(of key: PositionKey, and told: PositionRecord, _ now: Instant) -> ReaderPositions {
        var marks = ReaderPositions()
        if let value = stored(key.reader)?.devices.first(where: { $0.deviceId == key.deviceId })?.value {
            var parser = JSONParser()
            if let record = try? value.bytes.withBytes({ try PositionRecord.decode($0, with: &parser) }) {
                marks.record(record, arrival: min(value.timestamp, now), settings: settings)
            }
        }
        switch unread.latest(key, isRead: isRead) {
        case .none: break
        case .written(nil): marks = ReaderPositions()
        case .written(let write?): marks.record(write.record, arrival: write.arrival, settings: settings)
        }
        marks.record(told, arrival: now, settings: settings)
        marks.expire(at: now, settings: settings)
        return marks
    }

    /// The record, as much of it as the pipeline reads: one that is larger leaves out the older half of its marks and
    /// places, again and again (P7). The newest place stays.
    func fitting(_ record: PositionRecord) -> PositionRecord {
        var record = record
        while true {
            var json = JSONWriter()
            record.write(to: &json)
            let parts = record.readEntries.count + record.dismissed.count + record.history.count
            if json.count <= context.settings.recordBytesMax || parts == 0 { return record }
            record.readEntries.removeLast((record.readEntries.count + 1) / 2)
            record.dismissed.removeLast((record.dismissed.count + 1) / 2)
            record.history.removeLast((record.history.count + 1) / 2)
        }
    }
}
