package import Positions

/// A value of the `timeline.positions` topic (P1).
extension PositionRecord {
    /// The most bytes of each id but those of entries: they stand in keys and headers.
    package static let idBytesMax = 1024
    /// The most bytes of an entry's id, of a title and of a location.
    package static let textBytesMax = 4096

    /// Reads what a device says; Confluent framing is skipped.
    ///
    /// - Throws: a problem that names the field and what is allowed.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, with parser: inout JSONParser
    ) throws(MessageProblem) -> PositionRecord {
        let fields = MessageFields(try parser.object(bytes))
        // An empty name is none, as in the key.
        let deviceId = try fields.identifier("deviceId").flatMap { $0.isEmpty ? nil : $0 }
        let record = PositionRecord(
            readerId: try fields.requiredIdentifier("readerId"),
            configurationId: try fields.requiredIdentifier("configurationId"), deviceId: deviceId,
            position: try PositionSnapshot(fields), readEntries: try fields.marks("readEntries"),
            dismissed: try fields.marks("dismissed"), history: try fields.snapshots("history"))
        let ids = [("readerId", record.readerId), ("configurationId", record.configurationId)]
        for (field, id) in ids + (deviceId.map { [("deviceId", $0)] } ?? []) {
            try fields.check(id, of: field, maximum: idBytesMax)
        }
        return record
    }

    /// Writes the value of the record.
    package func write(to json: inout JSONWriter) {
        json.beginObject()
        json.string("readerId", readerId)
        json.string("configurationId", configurationId)
        json.string("deviceId", deviceId)
        json.members(of: position)
        json.marks("readEntries", readEntries)
        json.marks("dismissed", dismissed)
        json.array("history", history.isEmpty ? nil : history) { $0.snapshot($1) }
        json.endObject()
    }
}

/// A line of a file of positions, as `produce positions` sends it on.
package struct PositionLine: Hashable, Sendable {
    package var key: PositionKey
    /// `nil` for `{"readerId": "…", "configurationId": "…", "deviceId": "…", "deleted": true}`: a tombstone.
    package var record: PositionRecord?

    /// - Throws: a problem that names the field and what is allowed.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, with parser: inout JSONParser
    ) throws(MessageProblem) -> PositionLine {
        let fields = MessageFields(try parser.object(bytes))
        guard try fields.bool("deleted") ?? false else {
            let record = try PositionRecord.decode(bytes, with: &parser)
            return PositionLine(key: PositionKey(of: record), record: record)
        }
        let reader = ReaderKey(
            readerId: try fields.requiredIdentifier("readerId"),
            configurationId: try fields.requiredIdentifier("configurationId"))
        let deviceId = try fields.identifier("deviceId").flatMap { $0.isEmpty ? nil : $0 }
        return PositionLine(key: PositionKey(reader, deviceId: deviceId))
    }
}

// MARK: - Snapshots and marks

extension PositionSnapshot {
    init(_ fields: MessageFields) throws(MessageProblem) {
        let index = try fields.integer("index", in: 0...Int64(Int32.max), "a whole number, 0 or more")
        self.init(
            entryId: try fields.requiredIdentifier("entryId"),
            observedAt: try fields.require("observedAt", fields.instant("observedAt")), index: index.map { Int($0) },
            offset: try fields.number("offset"),
            fraction: try fields.number("fraction", in: 0...1, "a number from 0 to 1"),
            entryDate: try fields.instant("entryDate"), title: try fields.text("title"),
            location: try fields.text("location"),
            restorationMethod: try fields.name("restorationMethod", of: RestorationMethod.self),
            toldAt: try fields.instant("toldAt"))
        try fields.check(entryId, of: "entryId")
        try title.map { (title) throws(MessageProblem) in try fields.check(title, of: "title") }
        try location.map { (location) throws(MessageProblem) in try fields.check(location, of: "location") }
    }
}

extension MessageFields {
    func snapshots(_ key: String) throws(MessageProblem) -> [PositionSnapshot] {
        var snapshots: [PositionSnapshot] = []
        for fields in try objects(key) ?? [] { snapshots.append(try PositionSnapshot(fields)) }
        return snapshots
    }

    func marks(_ key: String) throws(MessageProblem) -> [EntryMark] {
        var marks: [EntryMark] = []
        for fields in try objects(key) ?? [] {
            let mark = EntryMark(
                entryId: try fields.requiredIdentifier("entryId"), at: try fields.require("at", fields.instant("at")))
            try fields.check(mark.entryId, of: "entryId")
            marks.append(mark)
        }
        return marks
    }

    fileprivate func check(
        _ text: String, of key: String, maximum: Int = PositionRecord.textBytesMax
    ) throws(MessageProblem) {
        if text.utf8.count <= maximum { return }
        throw MessageProblem(
            .tooLarge, field: path(to: key), "has \(text.utf8.count) bytes, at most \(maximum) are allowed")
    }
}

extension JSONWriter {
    mutating func snapshot(_ snapshot: PositionSnapshot) {
        beginObject()
        members(of: snapshot)
        endObject()
    }

    mutating func members(of snapshot: PositionSnapshot) {
        string("entryId", snapshot.entryId)
        instant("observedAt", snapshot.observedAt)
        integer("index", snapshot.index)
        number("offset", snapshot.offset)
        number("fraction", snapshot.fraction)
        instant("entryDate", snapshot.entryDate)
        string("title", snapshot.title)
        string("location", snapshot.location)
        string("restorationMethod", snapshot.restorationMethod?.rawValue)
        instant("toldAt", snapshot.toldAt)
    }

    /// Writes a list of marks; nothing if it is empty.
    mutating func marks(_ name: StaticString, _ marks: [EntryMark]) {
        array(name, marks.isEmpty ? nil : marks) { json, mark in
            json.beginObject()
            json.string("entryId", mark.entryId)
            json.instant("at", mark.at)
            json.endObject()
        }
    }
}
