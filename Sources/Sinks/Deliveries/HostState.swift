/// The state of one server by its answers: whether it is paused, and which of its refusals are doubted. A value whose
/// transitions depend on nothing but the event, the time and the limits.
///
/// A refusal speaks of one device; the same refusal of one device after the other speaks of a setting, and taking it at
/// its word would retire them all. So a refusal is believed only when the server takes something after it. Until then
/// nothing of it is settled: no position moves past it. Of a lane one request is under way, so each is of another one.
///
/// Lanes are not part of it: they are of devices, and a device may move from one server to another.
struct HostState<Refused> {
    /// Nothing is sent to the server before `until`; `count` pauses followed each other.
    struct Pause: Hashable {
        var until: Duration
        var count: Int
    }

    /// A refusal that may be about more than what was refused.
    struct Doubt {
        var refused: Refused
        var reason: String
        /// When it was answered.
        var since: Duration
    }

    private(set) var pause: Pause?
    /// Since when it has failed for now, with nothing delivered; `nil` if it has not.
    private(set) var failingSince: Duration?
    /// True if it turned everything away since something was delivered last.
    private(set) var isTurningAway = false
    private(set) var deliveredAt: Duration?
    /// In the order of their answers.
    private(set) var doubts: [Doubt] = []

    /// An answer, or what the run knows of its end. `jitter` is from 0 up to 1.
    enum Event {
        case delivered
        /// The answer is about the parcel alone, which is settled or sent again at once.
        case answered
        case refused(Refused, reason: String)
        /// The parcel failed for now, for its own sake; `attempts` counts this failure, too.
        case failed(attempts: Int, after: Duration?, jitter: Double)
        /// The server failed for now.
        case unavailable(after: Duration?, jitter: Double)
        /// The server refuses all for now, until somebody changes something there.
        case turnedAway(jitter: Double)
        /// Nothing will come that speaks against the doubted refusals.
        case doubtsEnd
    }

    /// The action that an event demands besides settling the parcel.
    enum Action {
        case none
        /// The parcel waits; `told` is what an operator learns of it.
        case wait(until: Duration, told: Told)
        /// The refusals were right.
        case believe([Doubt])
        /// So many requests were refused for one reason, with none delivered between: the run ends.
        case stop(refusals: Int)
    }

    enum Told: Hashable {
        case nothing
        case holding(Duration)
        case turnedAway
    }

    struct Limits: Hashable {
        var backoff: Backoff
        var refusalsMax: Int
    }

    /// The table of transitions.
    mutating func apply(_ event: Event, now: Duration, limits: Limits) -> Action {
        switch event {
        case .delivered:
            let believed = doubts
            self = HostState(deliveredAt: now)
            return believed.isEmpty ? .none : .believe(believed)
        case .answered:
            pause = nil
            return .none
        case .refused(let refused, let reason):
            pause = nil
            doubts.append(Doubt(refused: refused, reason: reason, since: now))
            let count = doubts.count { $0.reason == reason }
            return count < limits.refusalsMax ? .none : .stop(refusals: count)
        case .failed(let attempts, let after, let jitter):
            pause = nil
            let delay = limits.backoff.delay(after: attempts, random: jitter, atLeast: after)
            defer { noteFailing(now) }
            return .wait(until: now + delay, told: failingSince != nil ? .nothing : .holding(delay))
        case .unavailable(let after, let jitter):
            let (until, delay) = hold(now, limits.backoff, after, jitter)
            return .wait(until: until, told: delay.map { .holding($0) } ?? .nothing)
        case .turnedAway(let jitter):
            let (until, _) = hold(now, limits.backoff, nil, jitter)
            defer { isTurningAway = true }
            return .wait(until: until, told: isTurningAway ? .nothing : .turnedAway)
        case .doubtsEnd:
            defer { doubts = [] }
            return doubts.isEmpty ? .none : .believe(doubts)
        }
    }

    /// Begins a pause, unless there is one: of requests that fail together only the first counts.
    ///
    /// - Returns: the end of the pause; its length if it begins now.
    private mutating func hold(
        _ now: Duration, _ backoff: Backoff, _ after: Duration?, _ jitter: Double
    ) -> (until: Duration, delay: Duration?) {
        if let pause, pause.until > now { return (pause.until, nil) }
        let count = (pause?.count ?? 0) + 1
        let delay = backoff.delay(after: count, random: jitter, atLeast: after)
        pause = Pause(until: now + delay, count: count)
        noteFailing(now)
        return (now + delay, delay)
    }

    private mutating func noteFailing(_ now: Duration) { if failingSince == nil { failingSince = now } }

    init(deliveredAt: Duration? = nil) {
        self.deliveredAt = deliveredAt
    }
}

extension HostState.Event: Sendable where Refused: Sendable {}

/// How long to wait before a further attempt: exponential, with jitter, so that not all come back at once.
package struct Backoff: Hashable, Sendable {
    /// The longest delay before the second attempt. It doubles with each attempt, up to `most`.
    package var first = Duration.seconds(1)
    package var most = Duration.seconds(300)

    package init() {}

    /// Returns a delay between half of the full one and all of it.
    ///
    /// - Parameters:
    ///   - attempts: the number of attempts that have failed, 1 or more.
    ///   - random: from 0 up to 1.
    ///   - least: the server's own word, which a longer delay only exceeds.
    package func delay(after attempts: Int, random: Double, atLeast least: Duration? = nil) -> Duration {
        precondition(attempts > 0 && (0..<1).contains(random))
        let doublings = min(attempts - 1, 30)
        let full = min(first * (1 << doublings), most)
        return max(full / 2 + full / 2 * random, least ?? .zero)
    }
}
