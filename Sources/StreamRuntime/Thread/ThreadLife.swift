/// The state of a thread, and how often each step to another one was gone.
struct ThreadLife {
    private(set) var state = ThreadState.initialising
    /// In the order of `ThreadState.transitions`.
    private(set) var stepCounts = Array(repeating: 0, count: ThreadState.transitions.count)

    /// Goes to another state. A step that `ThreadState.transitions` does not have ends the program.
    mutating func enter(_ next: ThreadState) {
        guard let step = ThreadState.index(of: state.name, next.name) else {
            preconditionFailure("From \(state.name) a thread does not go to \(next.name).")
        }
        stepCounts[step] += 1
        state = next
    }

    /// Notes what an attempt has found out that does not lead to another state.
    mutating func stay(_ known: ThreadState) {
        precondition(known.name == state.name, "\(known.name) is not \(state.name).")
        state = known
    }
}
