import Dispatch
import RecordLog
import SplitMix
import StreamCore

/// Timers for so many slots, due at random times of a day.
struct TimersBench {
    let count: Int
    private let dues: [Instant]
    private let slots: [Int]
    private(set) var timers = TimerHeap()

    init(count: Int) {
        let day: Int64 = 86_400_000
        var numbers = SplitMix64(seed: 1)
        self.count = count
        // Drawn before, so that neither they nor their memory are measured.
        dues = (0..<count).map { _ in Instant(milliseconds: .random(in: day..<(2 * day), using: &numbers)) }
        slots = (0..<count).map { _ in Int.random(in: 0..<count, using: &numbers) }
    }

    mutating func fill() {
        for slot in 0..<count { timers.arm(slot, due: dues[slot]) }
    }

    /// Arms slots in any order, each about as often as there are rounds.
    mutating func rearm(rounds: Int) {
        for round in 1...rounds {
            for slot in slots { timers.arm(slot, due: dues[(slot + round) % count]) }
        }
    }

    // MARK: - Nanoseconds a call

    func arming() -> Double {
        best { timers in
            timers.removeAll()
            return time { timers.arm($0, due: dues[$0]) }
        }
    }

    func rearming() -> Double {
        best { timers in time { timers.arm(slots[$0], due: dues[count - 1 - $0]) } }
    }

    func popping() -> Double {
        best { timers in time { _ in precondition(timers.pop(now: .distantFuture) != nil) } }
    }

    /// A look at timers none of which is due.
    func idling() -> Double {
        best { timers in time { precondition(timers.pop(now: Instant(milliseconds: Int64($0))) == nil) } }
    }

    /// The best of five rounds, each with all timers armed.
    private func best(_ round: (inout TimerHeap) -> Double) -> Double {
        (0..<5).map { _ in
            var armed = timers
            // The copy is made here, before the time runs.
            armed.arm(0, due: dues[0])
            return round(&armed)
        }
        .min() ?? 0
    }

    private func time(_ call: (Int) -> Void) -> Double {
        let began = DispatchTime.now().uptimeNanoseconds
        for index in 0..<count { call(index) }
        return Double(DispatchTime.now().uptimeNanoseconds - began) / Double(count)
    }
}
