import Messages
import RecordLog
import StreamCore
import Timelines

/// Making and publishing timelines.
extension ConfigurationProcessor {
    /// Notes that a timeline is to be made before the commit. Of several causes in one transaction the strongest is
    /// named, the latest instant counts.
    func makeLater(_ slot: Int, _ new: ConfigurationState.Pending) {
        var pending = new
        if let old = configurations[slot]?.pending {
            pending.at = max(old.at, new.at)
            if old.cause.reason.map({ old in new.cause.reason.map { $0 < old } ?? true }) ?? false {
                pending.cause = old.cause
            }
            pending.traceParent = old.traceParent ?? new.traceParent
            pending.needsSnapshots = old.needsSnapshots
        }
        configurations[slot]!.pending = pending
        due.insert(slot) { () }
    }

    func flush(_ context: TaskContext) {
        adoptRedeclared(context)
        if due.isEmpty { return }
        for (slot, _) in due.take() {
            guard configurations[slot]?.pending != nil else { continue }
            // One timeline per configuration and transaction: the rest waits for the next one, in state.
            if published.contains(slot) { due.insert(slot) { () } } else { make(slot, context) }
        }
    }

    private func make(_ slot: Int, _ context: TaskContext) {
        remake(slot)
        guard let state = configurations[slot], let pending = state.pending, state.value != nil else { return }
        // What was published does not become older, but where the clock went back (`clockWentBack`).
        let wanted = settings.notAhead(pending.at, of: context.instant)
        let at = max(wanted, state.published?.at ?? wanted)
        let message = message(of: slot)
        guard !pending.needsSnapshots, isCurrent(state, message, at: at) else {
            // What is pending stays so: it is made when the last source has answered.
            configurations[slot]!.pending!.needsSnapshots = false
            return renew(slot, at: at, context)
        }
        let frame = Frame(message)
        let budget = budget(state, kind: frame.kind, at: at)
        var made = Made(
            timeline(of: message, state, at: at), frame, state, at: at, budget: budget, sources: sources(of: state))
        encode(made.record)
        var isTooLarge = false
        if json.count > settings.timelineBytesMax {
            let problem = ConfigurationProblem(
                key: "maximumEntries",
                "the timeline has \(json.count) bytes, at most \(settings.timelineBytesMax) are allowed")
            var error = TimelineProvider.errorTimeline(problem, at: at)
            // What was too large is past at some time: the next one is due when it would have been.
            if let due = made.record.timeline.nextUpdate {
                error.policy = .after(due)
                error.nextUpdate = due
                error.validUntil = due
            }
            isTooLarge = true
            made = Made(error, frame, state, at: at, budget: budget, sources: sources(of: state))
            encode(made.record)
        }
        publish(slot, made, isTooLarge: isTooLarge, frame, pending, state, context)
    }

    /// Before anything new is taken in, or made: what was published by other rules is made once more by those of now,
    /// as of then, to be compared with what comes. So what differs by data is told apart, and nobody is told of what
    /// differs by the rules alone. Done when something is due anyway, never at the start.
    ///
    /// Where a vehicle's task brings all that a timeline needs, what was known is not kept; there a timeline is made
    /// when its recipient comes by itself, or of other data.
    func remake(_ slot: Int) {
        guard let state = configurations[slot], let published = state.published, state.remade == nil,
            published.rules != settings.contentRules.version
        else { return }
        guard state.value != nil, state.areAllAnswered, !isRefreshedByVehicle(slot) else { return }
        let message = message(of: slot)
        // Under another declaration of its kind it is another configuration.
        guard state.kindDigest == kinds.digest(of: message.kind) else { return }
        let frame = Frame(message)
        var remade = ContentDigest(
            of: timeline(of: message, state, at: published.at), kind: frame.kind, family: frame.family)
        // Whoever shows it comes back when it said.
        remade.nextUpdate = published.digest.nextUpdate
        configurations[slot]!.remade = remade
        // What differs from what was seen, and was not offered, differs only after its recipient has come back.
        guard state.offered == nil, let seen = state.seen.digest else { return }
        remade.nextUpdate = seen.nextUpdate
        configurations[slot]!.seen.digest = remade
    }

    /// Whether the agendas are those of the window at `at`: midnights move it on.
    private func isCurrent(_ state: ConfigurationState, _ message: ConfigurationMessage, at: Instant) -> Bool {
        guard case .usable(let configuration) = message, let zone = LocalCalendar(configuration.timeZone) else {
            return true
        }
        let windowEnds = state.sources.compactMap { $0.content?.windowEnd }
        guard !windowEnds.isEmpty, let need = TimelineProvider.needs(of: configuration).agenda else { return true }
        let windowEnd = need.window(at: at, in: zone).end
        return windowEnds.allSatisfy { $0 == windowEnd }
    }

    private func publish(
        _ slot: Int, _ made: Made, isTooLarge: Bool, _ frame: Frame, _ pending: ConfigurationState.Pending,
        _ state: ConfigurationState, _ context: TaskContext
    ) {
        let record = made.record
        emit(record, sinks: frame.sinks, traceParent: pending.traceParent, context)
        // Brought up to a later time it shows what its recipient's goes on to show by itself.
        let isTimeAlone =
            settings.leavesWhenCaughtUp && !state.hasNewData
            && (pending.cause == .scheduled || pending.cause == .noted)
        let isVisible = configurations.modify(slot) { state in
            let isVisible = state!.sees(
                made.digest, revision: record.revision, at: record.generatedAt, isTimeAlone: isTimeAlone)
            state!.revision = record.revision
            state!.refreshCount = record.refreshCount
            state!.pending = nil
            state!.published = .init(
                at: record.generatedAt, nextUpdate: record.timeline.nextUpdate, digest: made.digest,
                isFailure: record.timeline.isFailure, rules: settings.contentRules.version, isTooLarge: isTooLarge)
            state!.remade = nil
            state!.hasNewData = false
            return isVisible
        }
        published.insert(slot)
        if isRefreshedByVehicle(slot) {
            // The next one comes with all that is known of the vehicle.
            for index in state.sources.indices { configurations[slot]!.sources[index].content = nil }
        } else {
            armOwn(slot)
        }
        account(
            Publication(
                record: record, cause: pending.cause, traceParent: pending.traceParent,
                isChange: record.revision != state.revision, isVisible: isVisible,
                followsFailure: state.published?.isFailure ?? false),
            slot, context)
    }

    func timeline(
        of message: ConfigurationMessage, _ state: ConfigurationState, at: Instant
    ) -> Timeline {
        switch message {
        case .unusable(let unusable):
            return TimelineProvider.errorTimeline(unusable.problem, at: at, parameters: unusable.parameters)
        case .usable(let configuration):
            let contents = state.sources.compactMap(\.content)
            return settings.contentRules.timeline(
                TimelineRequest(
                    configuration: configuration, vehicle: contents.lazy.compactMap(\.vehicle).first,
                    hasUnreadableSource: contents.contains(where: \.isUnreadable),
                    occurrences: contents.flatMap(\.occurrences), at: at))
        }
    }

    /// The configuration's record, then its vehicle's and its calendars' newest ones.
    private func sources(of state: ConfigurationState) -> [SourceOffset] {
        let origins = [state.origin] + state.sources.map { $0.content?.origin }
        return origins.compactMap { origin in
            origin.map { SourceOffset(topic: topic(of: $0), partition: $0.partition, offset: $0.offset) }
        }
    }

    private func topic(of origin: Origin) -> String {
        [settings.topics.telemetry, settings.topics.calendarEvents, settings.topics.configurations][Int(origin.source)]
    }

    private func encode(_ record: TimelineRecord) {
        json.removeAll()
        record.write(to: &json)
    }

    private func emit(
        _ record: TimelineRecord, sinks: [String]?, traceParent: [UInt8]?, _ context: TaskContext
    ) {
        let headers = headers.timeline(record, sinks: sinks, traceParent: traceParent)
        var configurationId = record.configurationId
        configurationId.withUTF8 { key in
            json.withUnsafeBytes { value in
                context.emit(
                    Output.timelines, key: UnsafeRawBufferPointer(key), value: value,
                    headers: headers.map { Header($0) })
            }
        }
    }
}

/// A timeline as it is published: the record with its revision, and the digest that decided it.
private struct Made {
    var record: TimelineRecord
    var digest: ContentDigest

    init(
        _ timeline: Timeline, _ frame: Frame, _ state: ConfigurationState, at: Instant, budget: ReloadBudget,
        sources: [SourceOffset]
    ) {
        digest = ContentDigest(of: timeline, kind: frame.kind, family: frame.family)
        let isSame = state.published?.digest.isSameContent(as: digest, at: at) ?? false
        record = TimelineRecord(
            configurationId: frame.configurationId, kind: frame.kind, family: frame.family,
            recipient: frame.recipient, revision: state.revision + (isSame ? 0 : 1), generatedAt: at,
            timeline: timeline, refreshCount: state.refreshCount + 1, budget: budget,
            sources: sources)
    }
}

extension Timeline {
    fileprivate var isFailure: Bool {
        switch entries.first?.phase {
        case .error, .placeholder: true
        default: false
        }
    }
}

extension Cause {
    /// Nil: nothing that a recipient has to be told.
    var reason: ReloadNotification.Reason? {
        switch self {
        case .configurationChanged: .configurationChanged
        case .statusChanged: .statusChanged
        case .dataChanged, .subscribed, .noted: .dataChanged
        case .scheduled: nil
        }
    }
}
