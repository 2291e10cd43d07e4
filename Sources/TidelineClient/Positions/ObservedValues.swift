internal import Positions

/// A value that changes, for any number of observers: each gets the present value first, then every change.
///
/// An observer that is more than 64 changes behind loses the oldest of them, never the newest. The sequence ends when
/// the task that iterates is cancelled, or the value's owner is gone.
public struct ObservedValues<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value

    let subject: ObservedSubject<Value>

    /// The present value.
    public var current: Value { subject.value }

    public func makeAsyncIterator() -> AsyncStream<Value>.Iterator {
        subject.observe().makeAsyncIterator()
    }
}

/// The owner's side of observed values.
final class ObservedSubject<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var value: Value
        var observers: [Int: AsyncStream<Value>.Continuation] = [:]
        var next = 0
    }

    private let state: LockedValue<State>
    private let isSame: @Sendable (Value, Value) -> Bool

    static var waitingMax: Int { 64 }

    init(_ value: Value) where Value: Equatable {
        state = LockedValue(State(value: value))
        isSame = { $0 == $1 }
    }

    deinit {
        for observer in state.withLock({ $0.observers }).values { observer.finish() }
    }

    var value: Value { state.withLock { $0.value } }

    /// Sets the value, and tells the observers if it differs from the one before.
    func set(_ value: Value) {
        state.withLock { state in
            guard !isSame(state.value, value) else { return }
            state.value = value
            // In the lock, so that all observers see one order; a continuation only puts the value into its buffer.
            for observer in state.observers.values { observer.yield(value) }
        }
    }

    func observe() -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(Self.waitingMax))
        let number = state.withLock { state in
            state.next += 1
            state.observers[state.next] = continuation
            continuation.yield(state.value)
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.observers.removeValue(forKey: number) }
        }
        return stream
    }
}
