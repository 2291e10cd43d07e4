import Messages
import RecordLog
import StreamCore
import Timelines

/// The configurations of a task: their state, and each configuration as it was read from its record.
///
/// The other parts of the node share one table. A part reads and writes the fields of `ConfigurationState` that its own
/// documentation names.
final class ConfigurationTable {
    let store = StateStore(.configurations)
    private let settings: PipelineSettings
    private var decoder: ConfigurationDecoder
    private var entries = SlotMap<ConfigurationState, AsRead?>()

    /// A configuration as it was read, with what is asked of it for every timeline. A class: to ask copies nothing.
    final class AsRead {
        let message: ConfigurationMessage
        let address: TimelineAddress
        let isRefreshedByVehicle: Bool

        init(_ message: ConfigurationMessage) {
            self.message = message
            address = TimelineAddress(message)
            if case .usable(let configuration) = message {
                isRefreshedByVehicle = TimelineProvider.needs(of: configuration).vehicle?.refresh != nil
            } else {
                isRefreshedByVehicle = false
            }
        }
    }

    init(_ settings: PipelineSettings) {
        self.settings = settings
        decoder = ConfigurationDecoder(kinds: settings.kinds)
    }

    var stores: [any ChangelogStore] { [store] }

    /// Every slot of the store.
    var slots: Slots<ConfigurationState> { store.slots }

    func find(_ configurationId: UnsafeRawBufferPointer) -> Slot<ConfigurationState>? { store.find(configurationId) }

    func slot(of configurationId: UnsafeRawBufferPointer, hash: UInt32) -> Slot<ConfigurationState> {
        store.slot(of: configurationId, hash: hash)
    }

    func slot(of configurationId: String) -> Slot<ConfigurationState> { store.slot(of: configurationId) }

    func configurationId(of slot: Slot<ConfigurationState>) -> String { store.key(of: slot) }

    /// `nil` if nothing is kept of the configuration.
    subscript(slot: Slot<ConfigurationState>) -> ConfigurationState? {
        unsafeAddress { store.address(of: slot) }
        unsafeMutableAddress { store.mutableAddress(of: slot) }
    }

    /// True if the configuration is not deleted.
    func isLive(_ slot: Slot<ConfigurationState>) -> Bool { store[slot]?.value != nil }

    /// The state of a configuration that is not deleted: a copy, so it is for what is rarely done.
    func live(_ slot: Slot<ConfigurationState>) -> ConfigurationState? {
        guard let state = store[slot], state.value != nil else { return nil }
        return state
    }

    /// Changes the state of a configuration in place.
    ///
    /// - Precondition: there is a state.
    func modify<Result>(_ slot: Slot<ConfigurationState>, _ body: (inout ConfigurationState) -> Result) -> Result {
        store.modify(slot) { state in
            precondition(state != nil, "A configuration that changes has a state.")
            return body(&state!)
        }
    }

    // MARK: - Configurations as they were read

    /// - Throws: if the bytes are no configuration; the problem names the field.
    func decode(_ value: UnsafeRawBufferPointer) throws(MessageProblem) -> ConfigurationMessage {
        try decoder.decode(ConfluentFraming.skipped(value))
    }

    /// Keeps a configuration that was just read.
    func remember(_ message: ConfigurationMessage, _ slot: Slot<ConfigurationState>) {
        entries[slot] = AsRead(message)
    }

    /// Forgets a configuration that was deleted.
    func forgetMessage(_ slot: Slot<ConfigurationState>) { entries[slot] = nil }

    /// True if the configuration was read from its record already: to ask for it costs nothing.
    func isRead(_ slot: Slot<ConfigurationState>) -> Bool { entries[slot] != nil }

    /// - Precondition: the configuration is not deleted.
    func message(of slot: Slot<ConfigurationState>) -> ConfigurationMessage { asRead(slot).message }

    /// - Precondition: the configuration is not deleted.
    func address(of slot: Slot<ConfigurationState>) -> TimelineAddress { asRead(slot).address }

    /// True if the task of its vehicle renews the timeline: then each update brings all that is known.
    ///
    /// - Precondition: the configuration is not deleted.
    func isRefreshedByVehicle(_ slot: Slot<ConfigurationState>) -> Bool { asRead(slot).isRefreshedByVehicle }

    /// All of it, for whoever asks for more than one thing.
    ///
    /// - Precondition: the configuration is not deleted.
    func asRead(_ slot: Slot<ConfigurationState>) -> AsRead {
        if let known = entries[slot] { return known }
        guard let value = store[slot]?.value else { preconditionFailure("A deleted configuration is not read.") }
        settings.onReading(configurationId(of: slot))
        return value.withUnsafeBytes { bytes in
            do throws(MessageProblem) {
                let entry = AsRead(try decode(bytes))
                entries[slot] = entry
                return entry
            } catch {
                preconditionFailure("A configuration that was read once cannot be read again: \(error)")
            }
        }
    }

    /// After an abort: what was read in the transaction may not be the configuration any more.
    func reverted() {
        for slot in store.reverted { entries[slot] = nil }
    }

    func forget(_ released: ReleasedSlots<ConfigurationState>) { entries.forget(released) }
}
