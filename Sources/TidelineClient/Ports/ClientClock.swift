public import Positions

/// The clock that a client goes by; tests bring their own.
public protocol ClientClock: Sendable {
    /// The present, by the clock of the device.
    var now: Instant { get }

    /// Waits until so much time has passed.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func sleep(for time: ElapsedTime) async throws
}

/// A number from 0 up to 1, without 1, each as likely as another. It spreads the retries of many devices in time, and
/// names a device that has no name.
public typealias RandomNumber = @Sendable () -> Double
