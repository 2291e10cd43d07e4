package import Messages
import RecordLog
import Synchronization
package import Timelines

/// The thing in the views that a request waits for.
package enum ViewKey: Hashable, Sendable {
    case timeline(TextKey)
    case configuration(TextKey)
    case positions(ReaderKey)

    package static func timeline(_ id: String) -> ViewKey { .timeline(TextKey(id)) }
    package static func configuration(_ id: String) -> ViewKey { .configuration(TextKey(id)) }
}

/// The end of a wait.
package enum WaitOutcome: Hashable, Sendable {
    /// The views show it.
    case seen
    /// The pipeline has read the record long enough ago, and it changed nothing that the request waits for: content
    /// that stays the same makes no new record.
    case unchanged
    case timedOut
}

/// The requests that wait for something to be committed: `?wait=true`.
///
/// How a wait knows: a timeline names the newest record of each source, so a timeline with the written record among its
/// `sources`, or a later one of the partition, was made from it; a deletion ends with the timeline's tombstone. Where
/// the pipeline makes nothing of a record, its group's committed positions pass the record; `GroupProgress` watches
/// them.
package final class ViewWaiters: Sendable {
    private let state = Mutex(State())
    private let waiting = Atomic<Int>(0)

    private struct State {
        var waits: [Int: Wait] = [:]
        var byKey: [ViewKey: Set<Int>] = [:]
        var nextNumber = 0
    }

    private struct Wait: Sendable {
        var key: ViewKey
        var isSeen: @Sendable () -> Bool
        var place: RecordPlace?
        var deadline: Duration
        /// When the wait ends because the pipeline has read the record; `nil` before it has.
        var settlesAt: Duration?
        var completion: @Sendable (WaitOutcome) -> Void
    }

    package init() {}

    /// The number of requests that wait.
    package var count: Int { waiting.load(ordering: .relaxed) }

    /// Waits until `isSeen` is true, which is asked at once and after each change of the key.
    ///
    /// - Parameters:
    ///   - isSeen: looks at the views; any thread calls it, and it must not block.
    ///   - place: the written record, if the wait may end as `unchanged` once the pipeline has read it.
    ///   - deadline: the end of the wait on the gateway's clock.
    ///   - completion: called once, on any thread.
    package func wait(
        for key: ViewKey, place: RecordPlace? = nil, until deadline: Duration,
        isSeen: @escaping @Sendable () -> Bool, completion: @escaping @Sendable (WaitOutcome) -> Void
    ) {
        // Listed before it looks: a change that comes meanwhile finds it.
        let number = state.withLock { state in
            state.nextNumber += 1
            state.waits[state.nextNumber] = Wait(
                key: key, isSeen: isSeen, place: place, deadline: deadline, settlesAt: nil, completion: completion)
            state.byKey[key, default: []].insert(state.nextNumber)
            return state.nextNumber
        }
        waiting.add(1, ordering: .sequentiallyConsistent)
        if isSeen() { finish([number], .seen) }
    }

    /// Looks at the waits for what has changed. The views' thread calls it.
    func didChange(_ change: ViewChange) {
        guard waiting.load(ordering: .sequentiallyConsistent) > 0 else { return }
        let key: ViewKey
        switch change {
        case .timeline(let timeline, _): key = .timeline(timeline.configurationId)
        case .timelineDeleted(let gone): key = .timeline(gone.configurationId)
        case .configuration(let id): key = .configuration(id)
        case .positions(let reader, _): key = .positions(reader)
        case .devicePositions(let position): key = .positions(position.reader)
        case .reload: return
        }
        let candidates = state.withLock { state in
            (state.byKey[key] ?? []).compactMap { number in state.waits[number].map { (number, $0.isSeen) } }
        }
        finish(candidates.filter { $0.1() }.map(\.0), .seen)
    }

    /// Ends the waits whose time has come. Called often, by one thread.
    package func tick(now: Duration) {
        guard count > 0 else { return }
        let (settled, late) = state.withLock { state in
            (
                state.waits.filter { $0.value.settlesAt.map { $0 <= now } ?? false }.map(\.key),
                state.waits.filter { $0.value.deadline <= now }.map(\.key)
            )
        }
        finish(settled, .unchanged)
        finish(late, .timedOut)
    }

    /// The partitions of records that the pipeline has still to read, for those that wait.
    var places: [RecordPlace] {
        guard count > 0 else { return [] }
        return state.withLock { $0.waits.values.compactMap { $0.settlesAt == nil ? $0.place : nil } }
    }

    /// The pipeline's group has committed these positions: the waits for records before them end after `settle`.
    func pipelineHasRead(to positions: [TopicPartition: Offset], now: Duration, settle: Duration) {
        state.withLock { state in
            for (number, wait) in state.waits where wait.settlesAt == nil {
                guard let place = wait.place,
                    let next = positions[TopicPartition(place.topic, place.partition)], next > place.offset
                else { continue }
                state.waits[number]?.settlesAt = now + settle
            }
        }
    }

    private func finish(_ numbers: [Int], _ outcome: WaitOutcome) {
        for number in numbers {
            let wait = state.withLock { state in
                let wait = state.waits.removeValue(forKey: number)
                if let key = wait?.key {
                    state.byKey[key]?.remove(number)
                    if state.byKey[key]?.isEmpty == true { state.byKey[key] = nil }
                }
                return wait
            }
            guard let wait else { continue }
            waiting.subtract(1, ordering: .sequentiallyConsistent)
            wait.completion(outcome)
        }
    }
}

extension GatewayContext {
    /// Waits until the timeline of a configuration is made from a record that was written, at most `serve.wait`.
    ///
    /// - Parameter completion: called once with the timeline in force; `nil` if the wait timed out or there is none.
    package func waitForTimeline(
        _ configurationId: String, from place: RecordPlace,
        completion: @escaping @Sendable (WaitOutcome, StoredTimeline?) -> Void
    ) {
        let views = self.views
        waiters.wait(
            for: .timeline(configurationId), place: place, until: clock.now + settings.waitMaximum,
            isSeen: { views.timeline(configurationId)?.isMade(from: place) ?? false },
            completion: { outcome in
                completion(outcome, outcome == .timedOut ? nil : views.timeline(configurationId))
            })
    }

    /// Waits until a configuration that was deleted has no timeline, at most `serve.wait`.
    ///
    /// - Parameter place: the tombstone that was written.
    package func waitForDeletion(
        of configurationId: String, at place: RecordPlace, completion: @escaping @Sendable (WaitOutcome) -> Void
    ) {
        let views = self.views
        let hadTimeline = views.timeline(configurationId) != nil
        waiters.wait(
            for: .timeline(configurationId), place: place, until: clock.now + settings.waitMaximum,
            // Without a timeline before, only the pipeline's position tells that none is on its way.
            isSeen: { hadTimeline && views.timeline(configurationId) == nil }, completion: completion)
    }
}
