package import RecordLog
package import StreamCore

/// What a stream thread is doing, as of its last iteration: for the log line and the summary.
package struct StreamStatus: Sendable {
    package var tasks: [TaskStatus] = []
    /// The standby copies that the thread keeps, ascending by task.
    package var standbys: [StandbyStatus] = []
    /// Added up over all committed transactions of this thread.
    package var counters = TaskCounters()
    package var commits = 0
    package var aborts = 0
    /// Positions that were not gone on from: other topics than were read, and records that were removed unread.
    package var lostPositions = 0
    /// True in a run that ends once it has caught up, if the group has assigned since the thread last gave up tasks,
    /// and every task that it has runs and has committed what it makes of the inputs that were there.
    package var isBroughtUp = false
    /// True if the thread has committed since it was asked to release what waits.
    package var hasReleasedHeld = false
    /// On the monotonic clock.
    package var lastCommit: Duration?
    /// How often each step of `steps` was gone.
    package var stepCounts: [Int] = []
    package var measures = StreamMeasures()
    /// The state of the thread by its name in DESIGN.md's table, such as `in doubt`.
    package var state = ThreadState.Name.initialising.rawValue
    /// The topics that the thread is to write to, and that are gone: it processes nothing before they are back.
    package var missingTopics: [String] = []
    /// What brokers refuse for good, such as for a permission that is missing, until something is committed; and how
    /// often they did.
    package var refusal: LogError?
    package var refusals = 0
    /// When the status was made: a thread that hangs makes none any more. On the monotonic clock; `nil` before the
    /// first.
    package var at: Duration?
    /// As in `StreamProgress.last`.
    package var lastProgress: Duration?
    /// True once the group has given the thread tasks, or none.
    package var wasEverAssigned = false

    /// The steps from state to state that a thread may go, such as `ready → open`, in the order of DESIGN.md's table.
    package static let steps = ThreadState.transitions.map { "\($0.from.rawValue) → \($0.to.rawValue)" }

    package struct StandbyStatus: Hashable, Sendable {
        package var partition: Partition
        /// Its changelog is read up to here.
        package var next: Offset
    }

    package struct TaskStatus: Sendable {
        package var partition: Partition
        package var state: State
        /// Changelog records that are read each second, since the restore began; `nil` if the task does not restore, or
        /// only for a moment so far.
        package var restoreRate: Double?
        /// True once all inputs have been read as far as timers wait for (R17).
        package var firesTimers: Bool
        package var positions: [Position]

        package var isDeriving: Bool { if case .deriving = state { true } else { false } }

        package init(
            partition: Partition, state: State, restoreRate: Double? = nil, firesTimers: Bool,
            positions: [Position] = []
        ) {
            self.partition = partition
            self.state = state
            self.restoreRate = restoreRate
            self.firesTimers = firesTimers
            self.positions = positions
        }
    }

    package enum State: Hashable, Sendable {
        case created
        /// The changelog is read up to `next` of `end`.
        case restoring(next: Offset, end: Offset)
        /// The changelog is read; so many slots of the state have been looked at for what follows from it.
        case deriving(slots: Int)
        case running
    }

    package struct Position: Sendable {
        package var topicPartition: TopicPartition
        package var next: Offset
        /// When the last record that was read was produced, `Instant.noTimestamp` if it did not say; `nil` before the
        /// first record.
        package var lastTimestamp: Instant?

        package init(topicPartition: TopicPartition, next: Offset, lastTimestamp: Instant? = nil) {
            self.topicPartition = topicPartition
            self.next = next
            self.lastTimestamp = lastTimestamp
        }
    }

    package init() {}
}

extension StreamThread {
    /// How often the status is told: whoever waits for the end of a run waits for it.
    var reportInterval: Duration { .milliseconds(targets == nil ? 100 : 25) }

    func countCommit() {
        var counted = TaskCounters()
        for runtime in tasks.ordered {
            counted.add(runtime.task.takeCounters())
            reportDeadLetters(runtime.task.takeDeadLetters())
            reportWarnings(runtime.task.takeWarnings())
            reportFailures(runtime.task.committedFailures)
            reportNotes(runtime.task.committedNotes)
        }
        measureLatencies()
        counts.noteCommit(of: counted, at: clock.monotonic())
        observer(.committed(records: counted.records))
    }

    private func reportDeadLetters(_ letters: RecordNotices) {
        for letter in letters.named {
            let place = TopicPartition(letter.topic, letter.partition)
            observer(.deadLetter(place, letter.offset, reason: letter.reason))
        }
        if letters.more > 0 { observer(.moreDeadLetters(letters.more)) }
    }

    private func reportWarnings(_ warnings: RecordNotices) {
        for warning in warnings.named {
            let place = TopicPartition(warning.topic, warning.partition)
            observer(
                .warning(place, warning.offset, reason: warning.reason, subject: warning.subject))
        }
        if warnings.more > 0 { observer(.moreWarnings(warnings.more)) }
    }

    private func reportFailures(_ failures: ActivityNotes) {
        for failure in failures.all { observer(.sourceFailed(failure)) }
        if failures.more > 0 { observer(.moreSourcesFailed(failures.more)) }
    }

    private func reportNotes(_ notes: ActivityNotes) {
        for note in notes.all { observer(.noted(note)) }
        if notes.more > 0 { observer(.moreNotes(notes.more)) }
    }

    func makeStatus() -> StreamStatus {
        var status = StreamStatus()
        let now = clock.monotonic()
        measureTasks(now: now)
        status.measures = measures
        status.state = state.name.rawValue
        if case .checking(let check) = state { status.missingTopics = check.missing }
        status.refusal = refusals.standing(hasTasks: !tasks.all.isEmpty)
        status.refusals = refusals.count
        status.at = now
        status.lastProgress = lastProgress
        status.wasEverAssigned = membership.wasEverAssigned
        status.standbys = standbys.copies.sorted { $0.key < $1.key }
            .map { .init(partition: $0.key, next: $0.value.next) }
        status.counters = counts.committed
        status.commits = counts.commits
        status.aborts = counts.aborts
        status.lostPositions = positionChecks.lost
        status.stepCounts = life.stepCounts
        status.lastCommit = counts.lastCommit
        status.isBroughtUp = membership.isSettled && tasks.all.allSatisfy { $0.isRunning && $0.isBroughtUp }
        status.hasReleasedHeld = heldRelease.isDone
        for runtime in tasks.ordered {
            let cursors = [runtime.exchange].compactMap { $0 } + runtime.inputs
            let positions = cursors.map {
                StreamStatus.Position(
                    topicPartition: $0.topicPartition, next: runtime.next(of: $0),
                    lastTimestamp: $0.lastTimestamp)
            }
            let state: StreamStatus.State =
                switch runtime.state {
                case .created: .created
                case .restoring(let end): .restoring(next: min(runtime.restore.next, end), end: end)
                case .deriving: .deriving(slots: runtime.restore.derived)
                case .running: .running
                }
            status.tasks.append(
                .init(
                    partition: runtime.task.partition, state: state,
                    restoreRate: runtime.restoreRate(at: clock.monotonic()),
                    firesTimers: runtime.readThrough == .max, positions: positions))
        }
        return status
    }
}
