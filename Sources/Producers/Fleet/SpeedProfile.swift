/// The speed of a vehicle over a stretch: it speeds up, keeps to the limit, and brakes to the speed with which it
/// leaves. Units are metres, seconds, and metres per second.
struct SpeedProfile {
    let distance: Double
    private let entry: Double
    private let peak: Double
    private let speedingUp: Double
    private let cruising: Double
    private let braking: Double

    static let acceleration = 1.6
    static let deceleration = 2.2

    /// - Precondition: the stretch is long enough to brake from `entry` to `exit`, or to speed up to it.
    init(distance: Double, entry: Double, exit: Double, limit: Double) {
        let (up, down) = (Self.acceleration, Self.deceleration)
        // The speed at which speeding up and braking meet, when there is no room to cruise.
        let meeting = (2 * up * down * distance + down * entry * entry + up * exit * exit) / (up + down)
        let peak = min(limit, meeting.squareRoot())
        precondition(peak >= entry && peak >= exit, "\(distance) m are too short from \(entry) to \(exit) m/s")
        self.distance = distance
        self.entry = entry
        self.peak = peak
        speedingUp = (peak - entry) / up
        braking = (peak - exit) / down
        let rest = distance - (entry + peak) / 2 * speedingUp - (peak + exit) / 2 * braking
        cruising = max(0, rest / peak)
    }

    var duration: Double { speedingUp + cruising + braking }

    /// The distance from the beginning, and the speed, some seconds after the vehicle entered.
    func state(after seconds: Double) -> (distance: Double, speed: Double) {
        let time = min(max(0, seconds), duration)
        if time < speedingUp {
            return ((entry + Self.acceleration * time / 2) * time, entry + Self.acceleration * time)
        }
        let cruisingBegin = (entry + peak) / 2 * speedingUp
        if time < speedingUp + cruising { return (cruisingBegin + peak * (time - speedingUp), peak) }
        let sinceBraking = time - speedingUp - cruising
        let brakingBegin = cruisingBegin + peak * cruising
        let travelled = brakingBegin + (peak - Self.deceleration * sinceBraking / 2) * sinceBraking
        return (min(distance, travelled), max(0, peak - Self.deceleration * sinceBraking))
    }
}
