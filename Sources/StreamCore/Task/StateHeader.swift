import RecordLog

/// What the state of a task says of itself: the third section of the record of positions, which releases that do not
/// know it pass over (R18).
package struct StateHeader: Hashable, Sendable {
    /// The format that state, messages and claims of the task are written in.
    package var format: UInt8
    /// *P* when the state was written.
    package var partitions: Int32
    /// The id of the cluster that the positions are places in; empty if it was not known.
    package var cluster: String
    /// The settings that decide content, as they were.
    package var settings: [RecordedSetting]
    /// Who may have written the outputs: the application itself first, then others that were accepted.
    package var writers: [String]
    /// True if the changelog has a record of its beginning. State of a format with versions has one.
    package var hasBeginning: Bool
    /// The version of the zone data that the process had which wrote it last; empty if that is not known. It is a
    /// section of its own (`TaskPositions`), so that a release before it reads the header as ever.
    package var zoneData: String

    package init(
        format: UInt8 = StateFormat.newest, partitions: Int32, cluster: String = "", settings: [RecordedSetting] = [],
        writers: [String] = [], hasBeginning: Bool = false, zoneData: String = ""
    ) {
        self.format = format
        self.partitions = partitions
        self.cluster = cluster
        self.settings = settings
        self.writers = writers
        self.hasBeginning = hasBeginning
        self.zoneData = zoneData
    }
}

/// What a task records of the program that runs it.
package struct StateTerms: Sendable {
    /// The id of the cluster; `nil` if it is not known: then what was recorded stays.
    package var cluster: String?
    /// The settings that decide content; `nil` if they are not known: then what was recorded stays.
    package var settings: [RecordedSetting]?
    /// See `StateHeader.writers`; if there are none, what was recorded stays.
    package var writers: [String] = []
    /// The version of the program's zone data; `nil` if it is not told: then what was recorded stays.
    package var zoneData: String?

    package init() {}
}

/// A setting that decides content, as state records it: by a number that is never used again for another one.
package struct RecordedSetting: Hashable, Sendable {
    package var number: UInt8
    /// A hash of its value, the same in every process and on every machine.
    package var digest: UInt32

    package init(number: UInt8, digest: UInt32) {
        self.number = number
        self.digest = digest
    }

    /// - Parameter value: the setting's value as it is written; equal values have equal texts.
    package init(number: UInt8, value: String) {
        let hash = ContentHash.of(Array(value.utf8))
        self.init(number: number, digest: UInt32(truncatingIfNeeded: hash ^ hash >> 32))
    }
}

// MARK: - Stored form

extension StateHeader {
    /// The form of the section itself.
    private static let version: UInt8 = 1

    func encode(into writer: inout ByteWriter) {
        writer.write(Self.version)
        writer.write(format)
        writer.write(varint: UInt64(UInt32(bitPattern: partitions)))
        writer.write(cluster)
        writer.write(list: settings) { writer, setting in
            writer.write(setting.number)
            writer.write(varint: UInt64(setting.digest))
        }
        writer.write(list: writers) { $0.write($1) }
        writer.write(hasBeginning)
    }

    /// - Throws: if the section, or the state that it is about, is of a release that is too new for this one.
    init(from reader: inout ByteReader) throws(CorruptBytes) {
        let version = try reader.byte()
        guard version == Self.version else {
            throw CorruptBytes("the header of the state is of version \(version); this release reads \(Self.version)")
        }
        format = try reader.byte()
        guard (StateFormat.unversioned...StateFormat.newest).contains(format) else {
            throw StateFormat.unknown(format)
        }
        partitions = Int32(truncatingIfNeeded: try reader.varint())
        cluster = try reader.string()
        settings = try reader.list { reader throws(CorruptBytes) in
            let number = try reader.byte()
            return RecordedSetting(number: number, digest: UInt32(truncatingIfNeeded: try reader.varint()))
        }
        writers = try reader.list { reader throws(CorruptBytes) in try reader.string() }
        hasBeginning = try reader.bool()
        zoneData = ""
    }
}
