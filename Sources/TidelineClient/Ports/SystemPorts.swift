internal import Foundation
public import Positions

/// The clock of the device.
public struct SystemClock: ClientClock {
    /// The clock has no options.
    public init() {}

    public var now: Instant { Instant(milliseconds: Int64((Date.now.timeIntervalSince1970 * 1000).rounded())) }

    public func sleep(for time: ElapsedTime) async throws {
        try await Task.sleep(for: .milliseconds(max(0, time.milliseconds)))
    }

    /// A random number of the system's.
    static let random: RandomNumber = {
        var generator = SystemRandomNumberGenerator()
        return Double.random(in: 0..<1, using: &generator)
    }
}
