import StreamCore
import Timelines

/// The changes of each recipient and kind that are gathered, to go out together: from the first change on for
/// `coalesce`.
struct ReloadGatherings {
    /// The key is a `ReloadKey` without a configuration.
    private let gatherings = StateStore(.reloadGatherings)
    /// The budgets whose offers may be in a gathering. Derived from state.
    private var gathered = SlotMap<GatheringState, [Slot<BudgetState>]>(absent: [])
    private var closings = SlotTimers<GatheringState>()
    private let kinds: DeclaredKinds

    init(_ kinds: DeclaredKinds) {
        self.kinds = kinds
    }

    var store: any ChangelogStore { gatherings }

    /// The instant at which the first gathering closes; `nil` if nothing is gathered.
    var nextClosing: Instant? { closings.nextDue }

    mutating func add(_ budget: Slot<BudgetState>, _ key: ReloadKey, at now: Instant) {
        let gathering = slot(of: key)
        gathered[gathering].append(budget)
        guard gatherings[gathering] == nil else { return }
        let closesAt = now + kinds.terms(of: key.kind).coalesce
        gatherings[gathering] = GatheringState(closesAt: closesAt)
        closings.arm(gathering, due: closesAt)
    }

    private func slot(of key: ReloadKey) -> Slot<GatheringState> {
        key.ofAllConfigurations.bytes.withUnsafeBytes { gatherings.slot(of: $0) }
    }

    /// Closes the next gathering that closes until `instant`.
    ///
    /// - Returns: its recipient and kind with the budgets whose offers may be in it; `nil` if none closes.
    mutating func close(until instant: Instant) -> (key: ReloadKey, budgets: [Slot<BudgetState>])? {
        while let slot = closings.pop(now: instant) {
            guard let state = gatherings[slot] else { continue }
            guard state.closesAt <= instant else {
                closings.arm(slot, due: state.closesAt)
                continue
            }
            gatherings[slot] = nil
            defer { gathered[slot].removeAll() }
            return (gatherings.withKey(of: slot) { ReloadKey($0) }, gathered[slot])
        }
        return nil
    }

    /// No gathering waits for hours that come again.
    mutating func clockWentBack(to now: Instant) {
        for slot in gatherings.slots {
            guard let state = gatherings[slot] else { continue }
            let kind = gatherings.withKey(of: slot) { ReloadKey($0).kind }
            let latest = now + kinds.terms(of: kind).coalesce
            guard state.closesAt > latest else { continue }
            gatherings[slot] = GatheringState(closesAt: latest)
            closings.arm(slot, due: latest)
        }
    }

    // MARK: - Derived from state

    mutating func derive() {
        closings.removeAll()
        gathered.removeAll()
        for slot in gatherings.slots {
            if let state = gatherings[slot] { closings.arm(slot, due: state.closesAt) }
        }
    }

    /// Gathers an offer again that is in state.
    mutating func restore(_ budget: Slot<BudgetState>, _ key: ReloadKey) { gathered[slot(of: key)].append(budget) }
}
