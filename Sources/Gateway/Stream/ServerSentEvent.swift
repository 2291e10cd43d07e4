import HTTPServer
import Messages

/// The text of events (HTML Living Standard, section 9.2: server-sent events).
///
/// The data of each is one JSON object. `value` in it is the record's value as it was committed; a timeline or a
/// position without it is gone.
enum ServerSentEvent {
    static func timeline(_ timeline: StoredTimeline, id: String) -> SharedBytes {
        event("timeline", id: id) { json in
            json.string("configurationId", timeline.configurationId)
            json.string("kind", timeline.kind)
            json.string("recipient", timeline.recipient)
            json.integer("revision", timeline.revision)
            json.instant("generatedAt", timeline.generatedAt)
            json.raw("value", timeline.value)
        }
    }

    /// A timeline that was deleted, or that another recipient has from here on.
    static func timelineGone(_ id: String, kind: String, recipient: String, eventId: String) -> SharedBytes {
        event("timeline", id: eventId) { json in
            json.string("configurationId", id)
            json.string("kind", kind)
            json.string("recipient", recipient)
        }
    }

    static func reload(_ reload: StoredReload, id: String) -> SharedBytes {
        event("reload", id: id) { json in
            json.string("recipient", reload.recipient)
            json.string("kind", reload.kind)
            json.raw("value", reload.value)
        }
    }

    static func position(_ key: ReaderKey, _ merged: StoredValue?, id: String) -> SharedBytes {
        event("position", id: id) { json in
            json.string("readerId", key.readerId)
            json.string("configurationId", key.configurationId)
            if let merged { json.raw("value", merged.bytes) }
        }
    }

    /// Events of these types may be missing before this one: the client asks for the state anew.
    static func gap(_ types: [StreamFilter.EventType], id: String) -> SharedBytes {
        event("gap", id: id) { $0.strings("types", types.map(\.rawValue)) }
    }

    /// A comment, and the position up to which nothing is missing. A block without data makes no event, but its id
    /// counts.
    static func heartbeat(id: String) -> SharedBytes {
        SharedBytes(": heartbeat\nid: \(id)\n\n".utf8)
    }

    /// The first block of a stream: the time to wait before a new connection, and the position where it begins.
    static func opening(id: String) -> SharedBytes {
        SharedBytes("retry: 2000\nid: \(id)\n\n".utf8)
    }

    private static func event(_ name: String, id: String, _ write: (inout JSONWriter) -> Void) -> SharedBytes {
        var json = JSONWriter(reservingCapacity: 2048)
        json.beginObject()
        write(&json)
        json.endObject()
        return json.withUnsafeBytes { data in
            var bytes = Array("event: \(name)\nid: \(id)\ndata: ".utf8)
            bytes.reserveCapacity(bytes.count + data.count + 2)
            for byte in data {
                switch byte {
                // Line ends stand only between the parts of JSON.
                case UInt8(ascii: "\n"), UInt8(ascii: "\r"): bytes += "\ndata: ".utf8
                default: bytes.append(byte)
                }
            }
            bytes += "\n\n".utf8
            return SharedBytes(bytes)
        }
    }
}

extension JSONWriter {
    /// Writes a field whose value is JSON already.
    mutating func raw(_ name: StaticString, _ value: UnsafeRawBufferPointer) {
        key(name)
        raw(value)
    }

    mutating func raw(_ name: StaticString, _ value: SharedBytes) {
        key(name)
        value.withBytes { raw($0) }
    }
}
