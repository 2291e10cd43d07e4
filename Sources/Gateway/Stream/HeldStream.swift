import HTTPServer
import Synchronization

/// A stream whose events wait until what its client missed was sent, so that they come behind it.
///
/// Any thread releases it, once; the views' thread sends.
final class HeldStream: Sendable {
    let stream: EventStream
    private let state = Mutex(State())
    private let maximum: Int

    private struct State {
        var isHeld = true
        var waiting: [SharedBytes] = []
        var bytes = 0
    }

    /// - Parameter maximum: the most bytes that wait; a stream with more is ended, and its client comes back.
    init(_ stream: EventStream, maximum: Int) {
        self.stream = stream
        self.maximum = maximum
    }

    func send(_ bytes: SharedBytes) {
        let isWaiting = state.withLock { state in
            guard state.isHeld else { return false }
            state.bytes += bytes.count
            if state.bytes <= maximum { state.waiting.append(bytes) }
            return true
        }
        if !isWaiting { stream.send(bytes) }
    }

    /// Sends the first bytes, then what waits.
    func release(after first: SharedBytes) {
        stream.send(first)
        while true {
            let (next, isOver) = state.withLock { state in
                defer { state.waiting = [] }
                if state.waiting.isEmpty { state.isHeld = false }
                return (state.waiting, state.bytes > maximum)
            }
            // An event was left out.
            if isOver { return stream.close() }
            if next.isEmpty { return }
            for bytes in next { stream.send(bytes) }
        }
    }
}
