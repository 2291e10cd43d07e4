import Dispatch
import StreamCore

/// Derives what follows from the states of several tasks at a time. Tasks share nothing while they derive, and nothing
/// else is done with them.
package protocol Derivation: Sendable {
    /// So many tasks at a time are worth while; from 1.
    var width: Int { get }

    /// Returns when all is done. Called on a stream thread.
    ///
    /// - Parameters:
    ///   - count: of the pieces; `width` at the most.
    ///   - other: work of the stream thread itself, done on this thread before the call waits for pieces; `nil` if
    ///     there is none.
    ///   - piece: called once with each number below the count, on any thread, several at a time.
    func run(_ count: Int, beside other: (() -> Void)?, _ piece: (Int) -> Void)
}

/// One task after the other: for simulations, where one thread decides the order of all.
package struct SerialDerivation: Derivation {
    package init() {}

    package var width: Int { 1 }

    package func run(_ count: Int, beside other: (() -> Void)?, _ piece: (Int) -> Void) {
        other?()
        for number in 0..<count { piece(number) }
    }
}

/// On this thread and those of the system's pool.
package struct ParallelDerivation: Derivation {
    package let width: Int

    /// - Parameter cores: those that this thread may use.
    package init(cores: Int) {
        width = max(1, min(cores, 8))
    }

    package func run(_ count: Int, beside other: (() -> Void)?, _ piece: (Int) -> Void) {
        let own = other == nil && count > 0 ? 1 : 0
        withoutActuallyEscaping(piece) { piece in
            // The group is waited for below, and each piece has a number of its own.
            nonisolated(unsafe) let piece = piece
            let group = DispatchGroup()
            for number in own..<max(own, count) {
                DispatchQueue.global(qos: .userInitiated).async(group: group) { piece(number) }
            }
            other?()
            for number in 0..<own { piece(number) }
            group.wait()
        }
    }
}
