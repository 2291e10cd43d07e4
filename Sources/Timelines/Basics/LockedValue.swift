#if canImport(Darwin)
    import os
#else
    import Synchronization
#endif

/// A value that threads use in turns.
///
/// It is `Synchronization.Mutex` where that exists on every system that the libraries run on. Apple's systems have it
/// only from iOS 18 and macOS 15 on; there it is `OSAllocatedUnfairLock`, which iOS 16 and macOS 13 have.
package struct LockedValue<Value: Sendable>: ~Copyable, Sendable {
    #if canImport(Darwin)
        private let lock: OSAllocatedUnfairLock<Value>
    #else
        private let lock: Mutex<Value>
    #endif

    package init(_ value: Value) {
        #if canImport(Darwin)
            lock = OSAllocatedUnfairLock(uncheckedState: value)
        #else
            lock = Mutex(value)
        #endif
    }

    /// Calls `body` with the value while no other thread uses it. `body` neither waits nor uses the same value again.
    package func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        #if canImport(Darwin)
            lock.withLockUnchecked { body(&$0) }
        #else
            lock.withLock { body(&$0) }
        #endif
    }
}
