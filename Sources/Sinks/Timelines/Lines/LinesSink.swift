import Glibc
import Messages
package import RecordLog

/// Timelines as lines of JSON on standard output, or another descriptor, in the order in which they are read.
///
/// It keeps nothing: each run begins at the earliest record, and a record that is read again is written again. So the
/// contract of sinks holds here only for what one line can say: whom a timeline is for, and what is none.
package final class LinesSink: TimelineSink {
    package let name: String
    private let descriptor: Int32
    private let patience: Duration
    private let shouldStop: () -> Bool
    private var parser = JSONParser()
    /// Lines that were not written yet.
    private var pending: [UInt8] = []
    /// Nobody reads it any more: what is written goes nowhere, and the run is to end.
    private var isBroken = false

    /// So many bytes always fit where there is room at all (PIPE_BUF).
    private static let portion = 4096
    private static let pendingMax = 1 << 16
    private static let pause = Duration.milliseconds(100)

    /// - Parameters:
    ///   - patience: how long a write waits for a reader who takes nothing, before it is `unavailable`.
    ///   - shouldStop: asked ten times a second meanwhile; true ends the waiting.
    package init(
        descriptor: Int32 = STDOUT_FILENO, name: String = "stdout", patience: Duration = .seconds(10),
        shouldStop: @escaping () -> Bool = { false }
    ) {
        self.descriptor = descriptor
        self.name = name
        self.patience = patience
        self.shouldStop = shouldStop
    }

    /// True once nobody reads what is written: a pipe was closed at its other end.
    package var isClosed: Bool {
        if !isBroken { isBroken = (poll(.zero) ?? 0) & Int16(POLLERR) != 0 }
        return isBroken
    }

    package func positions(of topic: String) throws(SinkError) -> [Partition: SinkPosition] { [:] }

    package func write(_ record: SinkRecord) throws(SinkError) -> SinkOutcome {
        // Before the line is added: the same record comes again if this fails.
        if pending.count >= Self.pendingMax { try flush() }
        guard let value = record.timeline(for: name) else {
            pending +=
                JSONWriter.object { json in
                    json.string("configurationId", record.configurationId)
                    json.bool("deleted", true)
                }.utf8
            pending.append(UInt8(ascii: "\n"))
            return .removed
        }
        guard value.withUnsafeBytes({ TimelineHead($0, with: &parser) }) != nil else {
            throw .unusable(BadRecord(noTimeline: value))
        }
        // JSON has line ends between its parts alone; in a text they are escaped.
        pending += value.lazy.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
        pending.append(UInt8(ascii: "\n"))
        return .written
    }

    package func flush() throws(SinkError) {
        var (written, waited) = (0, Duration.zero)
        defer { pending.removeFirst(written) }
        while written < pending.count, !isBroken {
            guard let events = poll(Self.pause) else { throw failure(String(cString: strerror(errno))) }
            if events & Int16(POLLERR) != 0 {
                isBroken = true
            } else if events == 0 {
                waited += Self.pause
                if waited >= patience || shouldStop() { throw failure("its reader takes nothing") }
            } else {
                written += try writePortion(from: written)
                waited = .zero
            }
        }
        if isBroken { written = pending.count }
    }

    /// Nothing is kept.
    package func keep(_ positions: [Partition: SinkPosition], of topic: String) throws(SinkError) {}

    private func writePortion(from start: Int) throws(SinkError) -> Int {
        let count = pending.withUnsafeBytes { bytes in
            Glibc.write(descriptor, bytes.baseAddress.map { $0 + start }, min(bytes.count - start, Self.portion))
        }
        if count >= 0 { return count }
        switch errno {
        case EINTR, EAGAIN: return 0
        case EPIPE:
            isBroken = true
            return 0
        case let code: throw failure(String(cString: strerror(code)))
        }
    }

    /// Waits until the descriptor takes something.
    ///
    /// - Returns: what is so of it, 0 if the time is over; `nil` if that cannot be said.
    private func poll(_ time: Duration) -> Int16? {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        let count = Glibc.poll(&entry, 1, Int32(time / .milliseconds(1)))
        return count < 0 && errno != EINTR ? nil : entry.revents
    }

    private func failure(_ reason: String) -> SinkError {
        .unavailable(SinkFault(place: "standard output", operation: "write to", reason: reason))
    }
}
