import StreamCore

/// The configurations that a run which ends brings up: all of them at first, then those whose timeline was published
/// since, which may have been made for an earlier instant; a portion of them in each transaction (R17).
///
/// A timeline that is awaited, from a source or from the next transaction, is published some time. So a configuration
/// that was passed over because of it is looked at again.
struct ConfigurationCatchUp {
    /// False if the run does not end: then nothing is kept.
    private let isKept: Bool
    private var all = SlotWalk<ConfigurationState>()
    private var published = SlotQueue<ConfigurationState, Void>()
    private var hasBegun = false
    /// The timelines that this transaction has asked for, of those that were published.
    private var used = 0

    init(_ settings: PipelineSettings) {
        isKept = settings.leavesWhenCaughtUp
    }

    mutating func published(_ slot: Slot<ConfigurationState>) {
        if isKept && hasBegun { published.append(slot) }
    }

    /// True if configurations wait for the next transaction.
    var hasMore: Bool { hasBegun && (all.isUnderWay || !published.isEmpty) }

    /// Goes through the next configurations.
    ///
    /// - Parameter bringUp: returns true if a timeline is renewed.
    mutating func advance(
        over configurations: StateStore<ConfigurationState>, _ context: TaskContext,
        _ bringUp: (Slot<ConfigurationState>) -> Bool
    ) {
        if !hasBegun { all.begin() }
        hasBegun = true
        all.advance(over: configurations, context, bringUp)
        for (slot, _) in published.drain() {
            if used >= context.flushPortion {
                published.append(slot)
            } else if bringUp(slot) {
                used += 1
            }
        }
    }

    mutating func committed() {
        all.committed()
        used = 0
    }

    mutating func forget(_ released: ReleasedSlots<ConfigurationState>) { published.forget(released) }

    /// After an abort everything is brought up again.
    mutating func reset() {
        all.reverted()
        published.removeAll()
        hasBegun = false
        used = 0
    }
}
