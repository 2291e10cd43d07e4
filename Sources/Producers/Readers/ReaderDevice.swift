import Messages
import Positions
import Timelines

/// A device of a simulated reader: what it has not sent yet, and how wrong its clock is.
struct ReaderDevice {
    /// The name; `nil` means the browser, which has none.
    let deviceId: String?
    /// The time by which the clock is wrong.
    let clockError: ElapsedTime
    /// The configuration that is read here, as the index among those of the reader.
    var configuration = 0
    /// The entry at which the reader was last, by number.
    var entry: Int64?
    /// The instant from which on the device has reception.
    var onlineAt: Instant
    /// The places that were not sent for want of reception, the oldest first.
    private var unsent: [PositionSnapshot] = []
    private var unsentRead: [EntryMark] = []
    private var unsentDismissed: [EntryMark] = []

    /// How many older places a record tells at most.
    private static let historyMax = 10

    init(deviceId: String?, clockError: ElapsedTime, start: Instant) {
        self.deviceId = deviceId
        self.clockError = clockError
        onlineAt = start
    }

    /// True if something waits for reception.
    var hasUnsent: Bool { !unsent.isEmpty }

    mutating func note(_ snapshot: PositionSnapshot, read: [EntryMark], dismissed: [EntryMark]) {
        unsent.append(snapshot)
        unsentRead += read
        unsentDismissed += dismissed
    }

    /// The record of all that waits: the newest place, and the others as its history.
    mutating func send(readerId: String, configurationId: String) -> PositionRecord? {
        guard let newest = unsent.popLast() else { return nil }
        defer { (unsent, unsentRead, unsentDismissed) = ([], [], []) }
        return PositionRecord(
            readerId: readerId, configurationId: configurationId, deviceId: deviceId, position: newest,
            readEntries: unsentRead, dismissed: unsentDismissed, history: unsent.suffix(Self.historyMax))
    }

    /// Forgets where the reader was, as after a tombstone.
    mutating func forget() {
        entry = nil
        (unsent, unsentRead, unsentDismissed) = ([], [], [])
    }
}
