/// How short memory is. Who holds queues and caches asks it at each round, and makes them smaller while it is short.
/// Any thread; nothing here waits.
package protocol MemoryState: Sendable {
    /// True while the process has more memory than it is to have.
    var isShort: Bool { get }
    /// Rises each time that caches are to be trimmed.
    var trimCount: Int { get }
    /// Gives what the calling thread has freed back to the system.
    func release()
}

/// Memory without a limit.
package struct AmpleMemory: MemoryState {
    package init() {}

    package var isShort: Bool { false }
    package var trimCount: Int { 0 }
    package func release() {}
}

/// How a thread that reads heeds memory: it gives back what it has freed when caches are to be trimmed. One thread owns
/// it.
package struct MemoryThrift {
    private let memory: any MemoryState
    private var seen = 0

    package init(_ memory: any MemoryState) {
        self.memory = memory
    }

    /// To be called before each poll.
    package mutating func heed() {
        guard memory.trimCount != seen else { return }
        seen = memory.trimCount
        memory.release()
    }
}
