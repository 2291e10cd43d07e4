import Messages
import Positions
import StreamCore

/// The readers of a task: their state, and which of them read a configuration.
final class ReaderTable {
    private let store = StateStore(.readerPositions)
    private let configurations: ConfigurationTable
    /// The readers that have a state, derived from the keys of the store; empty as long as nobody reads anything here.
    private var readers = SlotMap<ConfigurationState, [Slot<ReaderState>]>(absent: [])
    private var linked = SlotMap<ReaderState, Bool>(absent: false)

    init(of configurations: ConfigurationTable) {
        self.configurations = configurations
    }

    var stores: [any ChangelogStore] { [store] }

    /// Every reader that was ever met here.
    var slots: Slots<ReaderState> { store.slots }

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
    func readers(of configuration: Slot<ConfigurationState>) -> [Slot<ReaderState>] { readers[configuration] }

    /// Keeps the state of a reader. One that remembers nothing and owes nothing is removed.
    func put(_ state: ReaderState, _ slot: Slot<ReaderState>) {
        let isKept = !state.positions.isEmpty || state.isDue
        store[slot] = isKept ? state : nil
        if isKept != linked[slot] { link(slot, isKept) }
    }

    /// Links what was restored.
    func derive() {
        readers.removeAll()
        linked.removeAll()
        for slot in store.slots where store[slot] != nil { link(slot, true) }
    }

    private func link(_ slot: Slot<ReaderState>, _ isLinked: Bool) {
        linked[slot] = isLinked
        let configuration = configuration(of: key(of: slot))
        if isLinked { readers[configuration].append(slot) } else { readers[configuration].removeAll { $0 == slot } }
    }
}
