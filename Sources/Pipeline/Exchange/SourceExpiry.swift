import RecordLog
import StreamCore

/// The state of a vehicle or a calendar, which is removed when nothing is heard of it for long.
protocol ExpiringState: StateValue {
    /// When anything came of it last, by the clock of the task; `nil` in state of releases that kept none.
    var heardAt: Instant? { get set }
    /// An instant for state of such releases that is not later; `nil` if there is none.
    var heardAtLeast: Instant? { get }
}

/// The removal of sources that nothing needs, and that nothing came of for long, by the clock of the task (R19).
///
/// A record costs no more for it: a source's timer is set when the source comes, or when the last that needs it has
/// gone, and looks into the state when it fires. While something needs a source there may be no timer.
struct SourceExpiry<State: ExpiringState> {
    private let states: StateStore<State>
    private let expiry: ElapsedTime
    /// Records that change nothing leave the state alone for so long.
    private let patience: ElapsedTime
    private var timers = SlotTimers<State>()
    /// The timers that this transaction took out.
    private var fired: [Slot<State>] = []

    init(of states: StateStore<State>, after expiry: ElapsedTime) {
        self.states = states
        self.expiry = expiry
        patience = ElapsedTime(milliseconds: expiry.milliseconds / 30)
    }

    var nextDue: Instant? { timers.nextDue }

    func count(_ load: inout TimerLoad) { load.add(timers) }

    // MARK: - Records

    /// A record brings the first that is known of a source.
    mutating func sourceCame(_ slot: Slot<State>, _ context: TaskContext) {
        timers.arm(slot, due: context.now + expiry)
    }

    /// A record came that changes nothing. That it came is kept if the last one is long ago, so that a source of which
    /// only such records come stays, and most of them write no state.
    func heardWithoutChange(_ slot: Slot<State>, _ context: TaskContext) {
        if let heardAt = states[slot]?.heardAt, context.now - heardAt <= patience { return }
        states.modify(slot) { $0?.heardAt = context.now }
    }

    // MARK: - Times

    /// Removes sources that have expired: looks at a portion of those that are due.
    mutating func punctuate(_ context: TaskContext, isNeeded: (Slot<State>) -> Bool) {
        for _ in 0..<context.timerPortion {
            guard let slot = timers.pop(now: context.now) else { break }
            fired.append(slot)
            guard states.hasValue(slot), !isNeeded(slot) else { continue }
            guard let heardAt = states[slot]?.heardAt, heardAt <= context.now else {
                // Nobody knows since when, or the clock went back: the time counts from now.
                states.modify(slot) { $0!.heardAt = context.now }
                timers.arm(slot, due: context.now + expiry)
                continue
            }
            if heardAt + expiry <= context.now { states[slot] = nil } else { timers.arm(slot, due: heardAt + expiry) }
        }
    }

    /// Sets the timer of a source as its state says; there is none if nothing is known of the source.
    mutating func arm(_ slot: Slot<State>) {
        if !states.hasValue(slot) { return timers.disarm(slot) }
        let heardAt = states[slot]?.heardAt ?? states[slot]?.heardAtLeast
        timers.arm(slot, due: heardAt.map { $0 + expiry } ?? .distantPast)
    }

    // MARK: - Ends of transactions

    mutating func committed() { fired.removeAll(keepingCapacity: true) }

    /// Sets the timers again that the aborted transaction took out, and takes those away that it set.
    mutating func reverted() {
        for slot in fired { arm(slot) }
        for slot in states.reverted where !states.hasValue(slot) { timers.disarm(slot) }
        fired.removeAll()
    }

    mutating func forget(_ released: ReleasedSlots<State>) { timers.forget(released) }
}
