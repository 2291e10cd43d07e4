import Messages
import StreamCore
import Timelines

/// Makes the timeline that is pending for a configuration, writes it, and accounts for it to its recipient.
///
/// This part owns `history` and `published` of a configuration's state, and clears `hasNewData`.
final class TimelinePublisher {
    private let table: ConfigurationTable
    private let maker: TimelineMaker
    private let reloads: RecipientReloads
    private let kinds: DeclaredKinds
    private let settings: PipelineSettings
    private var output: TimelineOutput
    var failed = FailedTimelines()

    init(
        of table: ConfigurationTable, _ maker: TimelineMaker, _ reloads: RecipientReloads, _ kinds: DeclaredKinds,
        _ settings: PipelineSettings
    ) {
        self.table = table
        self.maker = maker
        self.reloads = reloads
        self.kinds = kinds
        self.settings = settings
        output = TimelineOutput(settings)
    }

    enum Outcome {
        /// The configuration was deleted, or nothing is pending.
        case nothing
        case published(Timeline)
        /// The sources must tell what they know at this instant before the timeline can be made.
        case needsSnapshots(at: Instant)
    }

    /// Makes and publishes the pending timeline.
    func publish(_ slot: Slot<ConfigurationState>, _ context: TaskContext) -> Outcome {
        compareByRulesOfNow(slot)
        guard let state = table.live(slot), let pending = state.pending else { return .nothing }
        // A published timeline does not become older, unless the clock went back.
        let wanted = settings.notAhead(pending.at, of: context.now)
        let at = max(wanted, state.history.newest?.at ?? wanted)
        let read = table.asRead(slot)
        guard !pending.needsSnapshots, maker.isCurrent(read.message, state, at: at) else {
            table[slot]!.pending!.needsSnapshots = false
            return .needsSnapshots(at: at)
        }
        // Brought up to a later time, a timeline shows what its recipient's goes on to show by itself.
        let isTimeAlone = settings.leavesWhenCaughtUp && !state.hasNewData && pending.cause.isOfTime
        let occasion = TimelineMaker.Occasion(
            at: at, isTimeAlone: isTimeAlone, budget: reloads.budget(of: state, kind: read.address.kind, at: at))
        let made = fitting(read.message, read.address, state, occasion)
        output.emit(made.record, sinks: read.address.sinks, traceParent: pending.traceParent, context)
        if made.isTooLarge { warn(made, slot, state, context) }
        if failed.note(slot, isFailed: made.isFailed(of: state)) { context.noteFailure(made.failure(of: state)) }
        keep(made, slot)
        let published = RecipientReloads.Published(
            kind: read.address.kind, publication: made.publication, cause: pending.cause,
            traceParent: pending.traceParent, followsFailure: state.published?.isFailure ?? false)
        reloads.account(for: published, slot, context)
        context.note(made.note(of: read.message, cause: pending.cause, at: at))
        return .published(made.record.timeline)
    }

    /// The timeline, encoded; one that is too large becomes the timeline that says so.
    private func fitting(
        _ message: ConfigurationMessage, _ address: TimelineAddress, _ state: ConfigurationState,
        _ occasion: TimelineMaker.Occasion
    ) -> TimelineMaker.Made {
        let made = maker.make(message, state, occasion)
        let sinks = address.sinks
        let bytes = output.encode(made.record, sinks: sinks)
        if bytes <= settings.timelineBytesMax { return made }
        var error = maker.make(insteadOf: made, of: bytes, message, state, occasion)
        if output.encode(error.record, sinks: sinks) <= settings.timelineBytesMax { return error }
        // Its sources are too many to be named: the configuration alone is.
        error.record.sources = Array(error.record.sources.prefix(1))
        _ = output.encode(error.record, sinks: sinks)
        return error
    }

    /// Counts a timeline that was too large, and says the first of a row by name.
    private func warn(
        _ made: TimelineMaker.Made, _ slot: Slot<ConfigurationState>, _ state: ConfigurationState,
        _ context: TaskContext
    ) {
        context.counters[.tooLargeTimelines] += 1
        guard state.published?.isTooLarge != true, let origin = state.origin else { return }
        let subject = "configuration \(table.configurationId(of: slot).prefix(bytes: 200))"
        let reason = made.record.timeline.entries.first?.message?.text ?? ""
        context.warn(of: origin, about: subject, "\(subject) has an error timeline: \(reason)")
    }

    private func keep(_ made: TimelineMaker.Made, _ slot: Slot<ConfigurationState>) {
        // If the vehicle's task renews the timeline, the next update comes with all that is known of the vehicle.
        let forgetsContents = table.isRefreshedByVehicle(slot)
        table.modify(slot) { state in
            state.history = made.history
            state.published = .init(
                isFailure: made.record.timeline.isFailure, rules: settings.contentRules.version,
                isTooLarge: made.isTooLarge)
            state.hasNewData = false
            state.hasUnclaimedTimeline = false
            guard forgetsContents else { return }
            for index in state.sources.indices { state.sources[index].content = nil }
        }
    }

    /// Takes the timeline of a deleted configuration away.
    ///
    /// - Parameter key: the key of the tombstone that deleted the configuration.
    func withdraw(
        _ configurationId: String, key: UnsafeRawBufferPointer, traceParent: [UInt8]?, _ context: TaskContext
    ) {
        output.emitTombstone(configurationId, key: key, traceParent: traceParent, context)
    }

    /// Before anything new is received, or made: a timeline that was published by other content rules is made once more
    /// by those of now, as of then, to be compared with what comes. So a difference of the data is told apart, and
    /// nobody is told of a difference of the rules alone. That is done when something is due anyway, never at the
    /// start.
    ///
    /// If the vehicle's task brings all that a timeline needs, what was known is not kept: then a timeline is made when
    /// its recipient comes by itself, or of other data.
    func compareByRulesOfNow(_ slot: Slot<ConfigurationState>) {
        guard let rules = table[slot]?.published?.rules, rules != settings.contentRules.version,
            let state = table.live(slot), let newest = state.history.newest,
            state.history.remade == nil, state.areAllAnswered, !state.hasLeftOut, !table.isRefreshedByVehicle(slot)
        else { return }
        let message = table.message(of: slot)
        // Under another declaration of its kind it is another configuration.
        guard state.kindDigest == kinds.digest(of: TimelineAddress(message).kind) else { return }
        table[slot]!.history.compareNewest(as: maker.remade(message, state, at: newest.at))
    }
}
