import Messages
import Positions
import StreamCore

/// The readers of a task: their state, and which of them read a configuration.
final class ReaderTable {
    private let store = StateStore(.readerPositions)
    private let configurations: ConfigurationTable
    /// The readers that have a state, derived from the keys of the store; empty as long as nobody reads anything here.
    private let links: SubscriptionLinks<ConfigurationState, ReaderState>
    private var restored = RestoreWalk<ReaderState>()

    init(of configurations: ConfigurationTable) {
        self.configurations = configurations
        links = SubscriptionLinks(to: configurations.store)
    }

    var stores: [any ChangelogStore] { [store] }

    /// `nil` if nothing is kept of the reader.
    subscript(slot: Slot<ReaderState>) -> ReaderState? { store[slot] }

    /// The reader's slot; `nil` if the reader was never met here.
    func find(_ key: ReaderKey) -> Slot<ReaderState>? { store.find(key.text) }

    /// The reader's slot, made if need be.
    func slot(of key: ReaderKey) -> Slot<ReaderState> { store.slot(of: key.text) }

    func key(of slot: Slot<ReaderState>) -> ReaderKey {
        guard let key = store.withKey(of: slot, { try? ReaderKey.decode($0) }) else {
            preconditionFailure("The key of a reader was written by this program.")
        }
        return key
    }

    func configuration(of key: ReaderKey) -> Slot<ConfigurationState> { configurations.slot(of: key.configurationId) }

    /// The readers of a configuration that anything is kept of, in the order in which they came.
    func readers(of configuration: Slot<ConfigurationState>) -> [Slot<ReaderState>] {
        // Those that are changed meanwhile may be unlinked.
        Array(links.subscriptions(of: configuration))
    }

    func hasReaders(_ configuration: Slot<ConfigurationState>) -> Bool { links.first(of: configuration) != nil }

    /// Keeps the state of a reader. One that remembers nothing and owes nothing is removed.
    func put(_ state: ReaderState, _ slot: Slot<ReaderState>) {
        let isKept = !state.positions.isEmpty || state.isDue
        store[slot] = isKept ? state : nil
        link(slot)
    }

    private func link(_ slot: Slot<ReaderState>) {
        if !store.hasValue(slot) {
            links.unlink(slot)
        } else {
            links.link(slot, to: configuration(of: key(of: slot)))
        }
    }

    // MARK: - Derived from state

    /// The next reader that was restored, linked; `nil` if there is none, or the portion is used up.
    func nextRestored(_ portion: inout Int) -> Slot<ReaderState>? {
        guard let slot = restored.next(in: store, &portion) else { return nil }
        link(slot)
        return slot
    }

    /// True if all that were restored are linked.
    var isRestored: Bool { restored.isDone(in: store) }

    /// The readers that an aborted transaction changed, linked again as they were.
    func reverted() -> [Slot<ReaderState>] {
        for slot in store.reverted { link(slot) }
        return store.reverted
    }

    /// Is told of readers that were given back.
    var onRelease: (ReleasedSlots<ReaderState>) -> Void {
        get { store.onRelease }
        set {
            store.onRelease = { [unowned self] released in
                links.forget(released)
                newValue(released)
            }
        }
    }

    /// Configurations are forgotten, which have no readers.
    func forget(_ released: ReleasedSlots<ConfigurationState>) { links.forget(released) }
}
