import Synchronization

/// Keeps what was written to it.
final class Recorded<Element: Sendable>: Sendable {
    private let storage = Mutex<[Element]>([])

    var elements: [Element] {
        storage.withLock { $0 }
    }

    func append(_ element: Element) {
        storage.withLock { $0.append(element) }
    }
}

/// A clock that goes only when told.
final class ManualClock: Sendable {
    private let instant = Mutex(ContinuousClock.now)

    func now() -> ContinuousClock.Instant {
        instant.withLock { $0 }
    }

    func advance(by duration: Duration) {
        instant.withLock { $0 += duration }
    }
}
