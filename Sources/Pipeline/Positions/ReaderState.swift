import Positions
import StreamCore
import Timelines

/// The state of one reader in the timeline of one configuration, at the configuration's task. Its key is that of the
/// merged record.
struct ReaderState: StateValue {
    var positions = ReaderPositions()
    /// How many merged records were published, 0 if none.
    var revision: UInt64 = 0
    /// The merged record is to be published.
    var isDue = false
    /// The trace of the record that came last, for the merged record.
    var traceParent: [UInt8]?

    private static let form: UInt8 = 1

    init() {}

    func encode(into writer: inout ByteWriter) {
        writer.write(Self.form)
        writer.write(varint: revision)
        writer.write(isDue)
        writer.write(optional: traceParent) { $0.write($1) }
        writer.write(list: positions.histories) { writer, history in
            writer.write(optional: history.deviceId)
            writer.write(list: history.snapshots) { $0.write($1) }
        }
        writer.write(list: positions.readEntries) { $0.write($1) }
        writer.write(list: positions.dismissed) { $0.write($1) }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        try reader.form(upTo: Self.form, of: "a reader")
        revision = try reader.varint()
        isDue = try reader.bool()
        traceParent = try reader.bool() ? try reader.array() : nil
        let histories = try reader.list { reader throws(CorruptBytes) in
            ReaderPositions.DeviceHistory(
                deviceId: try reader.optionalString(),
                snapshots: try reader.list { reader throws(CorruptBytes) in try reader.snapshot() })
        }
        // Bounds that became narrower cut at the next record, as after any merge.
        var settings = PositionSettings()
        settings.maxHistorySize = .max / ReaderPositions.devicesMax
        settings.maxUnreadHistory = .max
        positions = ReaderPositions(
            histories: histories, readEntries: try reader.list { reader throws(CorruptBytes) in try reader.mark() },
            dismissed: try reader.list { reader throws(CorruptBytes) in try reader.mark() }, settings: settings)
    }
}

/// The entries of the timeline that a configuration shows, as far as the places of its readers are described by them.
/// It is kept while the configuration has readers.
struct EntriesInForce: Equatable, StateValue {
    var entries: [PositionedEntry]

    private static let form: UInt8 = 1

    init(_ entries: [PositionedEntry]) {
        self.entries = entries
    }

    func encode(into writer: inout ByteWriter) {
        writer.write(Self.form)
        writer.write(list: entries) { writer, entry in
            writer.write(entry.id)
            writer.write(entry.date)
            writer.write(optional: entry.title)
            writer.write(optional: entry.location)
        }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        try reader.form(upTo: Self.form, of: "the entries of a timeline")
        entries = try reader.list { reader throws(CorruptBytes) in
            PositionedEntry(
                id: try reader.string(), date: try reader.instant(), title: try reader.optionalString(),
                location: try reader.optionalString())
        }
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ snapshot: PositionSnapshot) {
        write(snapshot.entryId)
        write(snapshot.observedAt)
        write(optional: snapshot.index.map { Int64($0) })
        write(optional: snapshot.offset)
        write(optional: snapshot.fraction)
        write(optional: snapshot.entryDate)
        write(optional: snapshot.title)
        write(optional: snapshot.location)
        write(optional: snapshot.restorationMethod?.rawValue)
        write(optional: snapshot.toldAt)
    }

    fileprivate mutating func write(_ mark: EntryMark) {
        write(mark.entryId)
        write(mark.at)
    }
}

extension ByteReader {
    /// Reads the number of a value's form. A form that this release does not know ends the process by name.
    fileprivate mutating func form(upTo newest: UInt8, of value: String) throws(CorruptBytes) {
        let form = try byte()
        guard form == newest else {
            throw CorruptBytes("form \(form) of \(value), which this release does not know: it knows up to \(newest)")
        }
    }

    fileprivate mutating func snapshot() throws(CorruptBytes) -> PositionSnapshot {
        PositionSnapshot(
            entryId: try string(), observedAt: try instant(), index: try optionalInt64().map { Int($0) },
            offset: try optionalDouble(), fraction: try optionalDouble(), entryDate: try optionalInstant(),
            title: try optionalString(), location: try optionalString(), restorationMethod: try restorationMethod(),
            toldAt: try optionalInstant())
    }

    private mutating func restorationMethod() throws(CorruptBytes) -> RestorationMethod? {
        guard let name = try optionalString() else { return nil }
        guard let method = RestorationMethod(rawValue: name) else {
            throw CorruptBytes("unknown restoration method \(name)")
        }
        return method
    }

    fileprivate mutating func mark() throws(CorruptBytes) -> EntryMark {
        EntryMark(entryId: try string(), at: try instant())
    }
}
