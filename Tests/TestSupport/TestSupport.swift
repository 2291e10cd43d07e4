// TestSupport: what the tests of several modules share: real parts to test against, and short ways to say a value.
//
// It must not know what any one module's tests are about; a fixture that only they need stays beside them.
//
// Begin with `TestBroker.shared()`, a Kafka broker that a test finds by itself: which one, and how it is started, is
// written in Scripts/test-broker, which a person can run as well. `TidelineExecutable` and `ProcessRunner` run the
// built program, `TemporaryDirectory` makes folders, `PushServer` plays Apple's. `SplitMix64` draws numbers by a seed,
// and `at(_:)` reads an instant.

import Foundation
@_exported public import SplitMix
package import Timelines

/// The instant of an RFC 3339 text, or of a time of Monday, 2 March 2026, UTC, on which many tests play: `08:00`,
/// `08:00:30`, `08:00:30.250`.
///
/// Stops the test process where `text` is none of these: texts in tests are written by hand.
package func at(_ text: String) -> Instant {
    let full: String
    switch text.utf8.count {
    case 5: full = "2026-03-02T\(text):00Z"
    case 8, 12: full = "2026-03-02T\(text)Z"
    default: full = text
    }
    guard let instant = Instant(rfc3339: full) else { preconditionFailure("no instant: \(text)") }
    return instant
}

/// Runs blocking calls on a thread made for them, so that none of the cooperative pool's few threads waits.
///
/// - Throws: what `work` throws.
package func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Result(catching: work)) }.start()
    }
}
