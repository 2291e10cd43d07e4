import Messages
import StreamCore
import Timelines

/// The configurations whose newest timeline failed, so that each is told of once, when it begins. It is no
/// state: a task that was taken over tells of each once more, with its next timeline.
struct FailedTimelines {
    private var failing: Set<Slot<ConfigurationState>> = []
    /// What the open transaction changed.
    private var begun: [Slot<ConfigurationState>] = []
    private var ended: [Slot<ConfigurationState>] = []

    /// Takes in a timeline that was made.
    ///
    /// - Returns: true if the configuration begins to fail with it.
    mutating func note(_ slot: Slot<ConfigurationState>, isFailed: Bool) -> Bool {
        if isFailed {
            guard failing.insert(slot).inserted else { return false }
            begun.append(slot)
            return true
        }
        if !failing.isEmpty, failing.remove(slot) != nil { ended.append(slot) }
        return false
    }

    mutating func committed() {
        begun.removeAll(keepingCapacity: true)
        ended.removeAll(keepingCapacity: true)
    }

    /// What began in the aborted transaction is told of when it begins again. What began and ended in it, too.
    mutating func reverted() {
        failing.formUnion(ended)
        failing.subtract(begun)
        committed()
    }

    mutating func forget(_ released: ReleasedSlots<ConfigurationState>) {
        if failing.isEmpty { return }
        failing.subtract(released.slots)
    }
}

extension TimelineMaker.Made {
    /// True if the timeline shows an error, or nothing because a source cannot be read.
    func isFailed(of state: ConfigurationState) -> Bool {
        let timeline = record.timeline
        if timeline.entries.first?.phase == .error { return true }
        return timeline.isFailure && state.sources.contains { $0.content?.isUnreadable == true }
    }

    /// `source.failed`: which configuration has a timeline that failed, why, and the record that it comes of: of its
    /// vehicle or calendar where one of them cannot be read, else its own.
    func failure(of state: ConfigurationState) -> ActivityNote {
        let unreadable = state.sources.firstIndex { $0.content?.isUnreadable == true }
        let place = place(of: unreadable, in: state)
        var fields: [ActivityNote.Field] = [.init("configurationId", record.configurationId)]
        if let place {
            fields.append(.init("offset", String(place.offset)))
            fields.append(.init("partition", String(place.partition)))
        }
        let source = unreadable.map { state.sources[$0].id.name } ?? "configuration"
        let entry = record.timeline.entries.first
        let error = entry?.phase == .error ? entry?.message?.text : nil
        fields.append(.init("reason", error ?? "the newest record of \(source) cannot be read"))
        fields.append(.init("source", source))
        if let place { fields.append(.init("topic", place.topic)) }
        return ActivityNote("source.failed", fields)
    }

    /// The record of a source, among those that the timeline names: its configuration's comes first (M7).
    ///
    /// - Parameter index: of the source; `nil` stands for the configuration.
    private func place(of index: Int?, in state: ConfigurationState) -> SourceOffset? {
        let own = state.origin == nil ? 0 : 1
        guard let index else { return own == 0 ? nil : record.sources.first }
        guard state.sources[index].content?.origin != nil else { return nil }
        let number = own + state.sources[..<index].count { $0.content?.origin != nil }
        return number < record.sources.count ? record.sources[number] : nil
    }
}

extension SourceID {
    /// Such as `vehicle v1`.
    fileprivate var name: String {
        switch self {
        case .vehicle(let id): "vehicle \(id)"
        case .calendar(let id): "calendar \(id)"
        }
    }
}
