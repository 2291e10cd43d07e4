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
        /// The server asked for it: an answer to what was sent before does not end it.
        var isAsked = false
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
    /// How often something was delivered.
    private(set) var deliveries = 0
    /// True if it turned everything away since something was delivered last.
    private(set) var isTurningAway = false
    private(set) var deliveredAt: Duration?
    /// Closed by whatever shows that the server works.
    private(set) var breaker = HostBreaker()
    /// In the order of their answers.
    private(set) var doubts: [Doubt] = []
    /// The records that it refused for good since something was delivered last.
    private var streak = RefusalStreak()

    /// An answer, or what the run knows of its end. `jitter` is from 0 up to 1.
    enum Event {
        case delivered
        /// The answer is about the parcel alone, which is settled or sent again at once.
        case answered
        case refused(Refused, reason: String)
        /// The server refuses what was sent for good. With `nil` for the lane that was more than one parcel. It is for
        /// their own sake alone if the server has taken others since it refused them first.
        case declined(reason: String, lane: String?, isOwn: Bool, jitter: Double)
        /// The parcel failed for now; `attempts` counts this failure, too. With a lane the failure may be the server's,
        /// with `nil` it is for the parcel's own sake.
        case failed(attempts: Int, after: Duration?, jitter: Double, lane: String? = nil)
        /// The server failed for now.
        case unavailable(after: Duration?, jitter: Double)
        /// The server refuses all for now, until somebody changes something there.
        case turnedAway(jitter: Double)
        /// The server refuses this parcel for now, and takes others; `attempts` counts this refusal, too.
        case turnedAwayAlone(attempts: Int, jitter: Double)
        /// What was to be removed is not there, as the server says; `attempts` counts this answer, too. With `isOnly`
        /// no other request to the server has failed and waits.
        case absent(Absence, isOnly: Bool, attempts: Int, jitter: Double)
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
        /// The breaker has opened.
        case opened(Duration)
        case turnedAway
    }

    struct Limits: Hashable {
        var backoff: Backoff
        var refusalsMax: Int
        /// So many records in a row that are declined alike are not at fault; 0: each is.
        var declinedMax = 0
        /// A server that takes nothing else, and refuses nothing either, is believed to lack what it says it lacks when
        /// it has said so for so long; for ten times as long if it has refused something.
        var absenceMin = Duration.zero
    }

    /// The table of transitions.
    mutating func apply(_ event: Event, now: Duration, limits: Limits) -> Action {
        switch event {
        case .delivered:
            let (believed, asked, failing, count) = (doubts, askedPause(now), failingSince, deliveries)
            self = HostState(deliveredAt: now)
            deliveries = count + 1
            if let asked { (pause, failingSince) = (asked, failing) }
            return believed.isEmpty ? .none : .believe(believed)
        case .answered:
            answered(now)
            return .none
        case .refused(let refused, let reason):
            answered(now)
            doubts.append(Doubt(refused: refused, reason: reason, since: now))
            let count = doubts.count { $0.reason == reason }
            return count < limits.refusalsMax ? .none : .stop(refusals: count)
        case .declined(let reason, let lane, let isOwn, let jitter):
            if !isOwn, streak.isLong(with: reason, of: lane, most: limits.declinedMax) {
                return turnAway(now, limits.backoff, jitter)
            }
            answered(now)
            return .none
        case .failed(let attempts, let after, let jitter, let lane):
            let own = limits.backoff.delay(after: attempts, random: jitter, atLeast: after)
            return fail(now, limits.backoff, after, jitter, own: own, attempts, lane)
        case .unavailable(let after, let jitter):
            let (until, delay) = hold(now, limits.backoff, after, jitter)
            return .wait(until: until, told: delay.map { .holding($0) } ?? .nothing)
        case .turnedAway(let jitter): return turnAway(now, limits.backoff, jitter)
        case .turnedAwayAlone(let attempts, let jitter):
            breaker = HostBreaker()
            return .wait(until: now + limits.backoff.delay(after: attempts, random: jitter), told: .nothing)
        case .absent(let absence, let isOnly, let attempts, let jitter):
            return judge(absence, isOnly, now, limits, delay: limits.backoff.delay(after: attempts, random: jitter))
        case .doubtsEnd:
            defer { doubts = [] }
            return doubts.isEmpty ? .none : .believe(doubts)
        }
    }

    /// True if a request may go, which is the probe while the breaker is open.
    mutating func admits() -> Bool { breaker.admits() }

    /// The probe is answered, or was not sent.
    mutating func endProbe() { breaker.endProbe() }

    /// A parcel has failed, which waits for `own` at least. All wait if the server asks for that, and while the breaker
    /// is open.
    private mutating func fail(
        _ now: Duration, _ backoff: Backoff, _ after: Duration?, _ jitter: Double, own: Duration, _ attempts: Int,
        _ lane: String?
    ) -> Action {
        let wasFailing = failingSince != nil
        noteFailing(now)
        let opens = lane.map { breaker.fail($0) } ?? false
        let isAsked = (after ?? .zero) > .zero
        guard lane != nil, isAsked || breaker.isOpen else {
            pause = askedPause(now)
            return .wait(until: now + own, told: wasFailing ? .nothing : .holding(own))
        }
        let (until, _) = hold(now, backoff, after, jitter)
        let due = max(now + own, until + HostBreaker.place(attempts))
        if opens { return .wait(until: due, told: .opened(until - now)) }
        return .wait(until: due, told: wasFailing ? .nothing : .holding(until - now))
    }

    /// All wait; an operator is told once.
    private mutating func turnAway(_ now: Duration, _ backoff: Backoff, _ jitter: Double) -> Action {
        breaker = HostBreaker()
        let (until, _) = hold(now, backoff, nil, jitter)
        defer { isTurningAway = true }
        return .wait(until: until, told: isTurningAway ? .nothing : .turnedAway)
    }

    /// A server on which nothing is deployed says of everything that it is not there. So the same is asked again, and
    /// believed if the server has taken something meanwhile. What it takes after the first answer says nothing of that
    /// answer, which may be of the time before.
    private mutating func judge(
        _ absence: Absence, _ isOnly: Bool, _ now: Duration, _ limits: Limits, delay: Duration
    ) -> Action {
        if !isTurningAway {
            answered(now)
            if deliveries > absence.deliveries { return .none }
        }
        // Nothing else may ever come that it takes or refuses.
        let end = absence.since + (isTurningAway ? limits.absenceMin * 10 : limits.absenceMin)
        if isOnly, now >= end { return .none }
        return .wait(until: now < end ? min(now + delay, end) : now + delay, told: .nothing)
    }

    /// The server works.
    private mutating func answered(_ now: Duration) {
        pause = askedPause(now)
        breaker = HostBreaker()
    }

    /// The pause that the server asked for and that is not over.
    private func askedPause(_ now: Duration) -> Pause? {
        pause.flatMap { $0.isAsked && $0.until > now ? $0 : nil }
    }

    /// Begins a pause, unless there is one: of requests that fail together only the first counts, and who asks for
    /// more time.
    ///
    /// - Returns: the end of the pause; its length if it begins now.
    private mutating func hold(
        _ now: Duration, _ backoff: Backoff, _ after: Duration?, _ jitter: Double
    ) -> (until: Duration, delay: Duration?) {
        let after = after ?? .zero
        if let pause, pause.until > now {
            if now + after <= pause.until { return (pause.until, nil) }
            self.pause = Pause(until: now + after, count: pause.count, isAsked: true)
            return (now + after, nil)
        }
        let count = (pause?.count ?? 0) + 1
        let delay = backoff.delay(after: count, random: jitter, atLeast: after)
        pause = Pause(until: now + delay, count: count, isAsked: after > .zero)
        noteFailing(now)
        return (now + delay, delay)
    }

    private mutating func noteFailing(_ now: Duration) { if failingSince == nil { failingSince = now } }

    init(deliveredAt: Duration? = nil) {
        self.deliveredAt = deliveredAt
    }
}

extension HostState.Event: Sendable where Refused: Sendable {}
