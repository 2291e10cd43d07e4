import Synchronization

/// Everything that happens in a run, as one number: two runs with the same digest took the same way. Any thread.
///
/// The hash is FNV-1a with 64 bits (Fowler, Noll and Vo).
package final class EventDigest: Sendable {
    private let state: Mutex<State>

    private struct State {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        var events = 0
    }

    /// Called with the text of each event, for whoever wants to read along; `nil` if nobody does.
    package let trace: (@Sendable (String) -> Void)?

    package init(trace: (@Sendable (String) -> Void)? = nil) {
        self.trace = trace
        state = Mutex(State())
    }

    package var value: UInt64 { state.withLock { $0.hash } }
    package var events: Int { state.withLock { $0.events } }

    /// - Parameter name: what happened, told apart from all else by its first 1,000 bytes.
    package func note(_ name: String, _ number: Int64 = 0) {
        state.withLock { state in
            for byte in name.utf8 { state.hash = (state.hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            state.hash = (state.hash ^ UInt64(bitPattern: number)) &* 0x100_0000_01b3
            state.events += 1
        }
        trace?(number == 0 ? name : "\(name) \(number)")
    }

    package func note(_ bytes: [UInt8]) {
        state.withLock { state in
            for byte in bytes { state.hash = (state.hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            state.hash = (state.hash ^ UInt64(bytes.count)) &* 0x100_0000_01b3
        }
    }
}
