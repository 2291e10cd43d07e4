import Messages
import RecordLog

/// A reload as a row of the table `reloads`, where its partition, its offset and its instant make it one of its own:
/// in a topic that was made again the offsets are the same, and the instants are later ones.
struct ReloadRow {
    var fields: ReloadFields
    /// The record's JSON.
    var value: [UInt8]
    var partition: Partition
    var offset: Offset

    /// The ids of its configurations as a JSON list.
    var configurationIds: [UInt8] {
        var json = JSONWriter(reservingCapacity: 64)
        json.beginArray()
        for id in fields.configurationIds { json.string(id) }
        json.endArray()
        return json.bytes
    }

    /// - Throws: what keeps the record from being a reload.
    init(_ record: SinkRecord, with parser: inout JSONParser) throws(BadRecord) {
        // Who asks a table for its values reads JSON without framing.
        guard let value = record.value, value.first != 0 else {
            throw BadRecord("the value is not a reload: it is \(record.value == nil ? "missing" : "framed")")
        }
        do throws(MessageProblem) {
            fields = try value.decoded { (bytes) throws(MessageProblem) in try ReloadFields(bytes, with: &parser) }
        } catch {
            throw BadRecord(error, "the value is not a reload")
        }
        self.value = value
        (partition, offset) = (record.origin.partition, record.offset)
    }
}
