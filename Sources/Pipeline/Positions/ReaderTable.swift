import Messages
import Positions
import StreamCore

/// The readers of a task: their state, and which of them read a configuration.
final class ReaderTable {
    private let store = StateStore(.readerPositions)
    private let configurations: ConfigurationTable
    /// Derived from the keys of the store; empty as long as nobody reads anything here.
    private var readers = SlotMap<ConfigurationState, [Slot<ReaderState>]>(absent: [])
    private var links = SlotMap<ReaderState, Link?>()

    /// What the key of a reader names.
    private struct Link {
        var key: ReaderKey
        var configuration: Slot<ConfigurationState>
    }

    init(of configurations: ConfigurationTable) {
        self.configurations = configurations
    }

    var stores: [any ChangelogStore] { [store] }

    /// Every reader that was ever met here.
    var slots: Slots<ReaderState> { store.slots }

    /// `nil` if nothing is kept of the reader.
    subscript(slot: Slot<ReaderState>) -> ReaderState? { store[slot] }

    func find(_ key: ReaderKey) -> Slot<ReaderState>? { store.find(key.text) }

    /// The reader's slot, made if need be, and linked with its configuration.
    func slot(of key: ReaderKey) -> Slot<ReaderState> {
        let slot = store.slot(of: key.text)
        link(slot)
        return slot
    }

    func key(of slot: Slot<ReaderState>) -> ReaderKey { link(slot).key }

    func configuration(of slot: Slot<ReaderState>) -> Slot<ConfigurationState> { link(slot).configuration }

    /// The readers of a configuration that anything is kept of, in the order in which they were met.
    func readers(of configuration: Slot<ConfigurationState>) -> [Slot<ReaderState>] {
        readers[configuration].filter { store[$0] != nil }
    }

    /// Changes the state of a reader in place. A state that remembers nothing and owes nothing is removed.
    func modify<Result>(_ slot: Slot<ReaderState>, _ body: (inout ReaderState) -> Result) -> Result {
        store.modify(slot) { stored in
            var state = stored.take() ?? ReaderState()
            let result = body(&state)
            stored = state.positions.isEmpty && !state.isDue ? nil : state
            return result
        }
    }

    /// Links what was restored.
    func derive() {
        for slot in store.slots where store[slot] != nil { link(slot) }
    }

    @discardableResult
    private func link(_ slot: Slot<ReaderState>) -> Link {
        if let known = links[slot] { return known }
        guard let key = store.withKey(of: slot, { try? ReaderKey.decode($0) }) else {
            preconditionFailure("The key of a reader was written by this program.")
        }
        let link = Link(key: key, configuration: configurations.slot(of: key.configurationId))
        links[slot] = link
        readers[link.configuration].append(slot)
        return link
    }
}
