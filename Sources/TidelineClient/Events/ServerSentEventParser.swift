/// One event of a stream, as the WHATWG's HTML standard ("Server-sent events") has it.
struct ServerSentEvent: Hashable, Sendable {
    /// The type; `message` where the stream names none.
    var type: String
    /// The data, with its lines joined by line feeds.
    var data: String
    /// The id of the last event that had one, this one included; empty if there was none.
    var lastEventId: String
}

/// Makes events of the bytes of a stream, in whatever pieces they come.
///
/// The rules are those of the WHATWG's HTML standard, section 9.2.6: UTF-8 with one leading byte order mark, lines
/// that end with CR, LF or both, and an event at each empty line. What the stream's end leaves unfinished is no event.
struct ServerSentEventParser: Sendable {
    /// The id from which a new connection resumes.
    private(set) var lastEventId: String
    /// How long the server asks to wait before a new connection; `nil` if it did not say.
    private(set) var retryMilliseconds: Int64?
    /// How many events were left out because they are larger than `eventMax`.
    private(set) var oversized = 0

    /// How many bytes a line and the data of an event may have: a stream that never ends a line must not fill memory.
    static let eventMax = 16 << 20

    private var line: [UInt8] = []
    private var isLineTooLong = false
    private var hasSeenCarriageReturn = false
    private var isAtStart = true
    private var type = ""
    /// The id that the next empty line makes valid.
    private var pendingId: String
    private var data = ""
    private var hasData = false
    private var isEventTooLarge = false

    /// - Parameter lastEventId: the id that an earlier connection ended with.
    init(lastEventId: String = "") {
        self.lastEventId = lastEventId
        pendingId = lastEventId
    }

    /// Forgets what the last connection left unfinished; the ids stay.
    mutating func reset() {
        let (id, retry, count) = (lastEventId, retryMilliseconds, oversized)
        self = ServerSentEventParser(lastEventId: id)
        (retryMilliseconds, oversized) = (retry, count)
    }

    /// Takes in bytes, and gives the events that they complete.
    mutating func events(in bytes: some Sequence<UInt8>) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            switch byte {
            case 0x0A where hasSeenCarriageReturn:
                hasSeenCarriageReturn = false
            case 0x0A, 0x0D:
                hasSeenCarriageReturn = byte == 0x0D
                if let event = endLine() { events.append(event) }
            default:
                hasSeenCarriageReturn = false
                if line.count < Self.eventMax { line.append(byte) } else { isLineTooLong = true }
            }
        }
        return events
    }

    private mutating func endLine() -> ServerSentEvent? {
        defer {
            line.removeAll(keepingCapacity: line.count < 1 << 16)
            isLineTooLong = false
            isAtStart = false
        }
        if isAtStart, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        if isLineTooLong { isEventTooLarge = true }
        guard !line.isEmpty else { return dispatch() }
        guard !isLineTooLong, line[0] != UInt8(ascii: ":") else { return nil }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.count
        let name = String(decoding: line[..<colon], as: UTF8.self)
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        field(name, value)
        return nil
    }

    private mutating func field(_ name: String, _ bytes: ArraySlice<UInt8>) {
        switch name {
        case "event": type = String(decoding: bytes, as: UTF8.self)
        case "data":
            guard data.utf8.count + bytes.count < Self.eventMax else {
                isEventTooLarge = true
                return
            }
            data += (hasData ? "\n" : "") + String(decoding: bytes, as: UTF8.self)
            hasData = true
        case "id" where !bytes.contains(0): pendingId = String(decoding: bytes, as: UTF8.self)
        case "retry" where bytes.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }:
            retryMilliseconds = Int64(String(decoding: bytes, as: UTF8.self)) ?? retryMilliseconds
        default: break
        }
    }

    private mutating func dispatch() -> ServerSentEvent? {
        defer { (type, data, hasData, isEventTooLarge) = ("", "", false, false) }
        lastEventId = pendingId
        guard !isEventTooLarge else {
            oversized += 1
            return nil
        }
        guard hasData else { return nil }
        return ServerSentEvent(type: type.isEmpty ? "message" : type, data: data, lastEventId: lastEventId)
    }
}
