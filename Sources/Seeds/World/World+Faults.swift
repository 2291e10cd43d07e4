import RecordLog
import Simulation
import SplitMix
import StreamRuntime

/// What befalls a world.
extension World {
    /// One step of the phase with faults: each kind happens with its probability, input comes in, time passes.
    func step() {
        if processes.isEmpty && clock.now >= (everybodyAwayUntil ?? clock.now) { join() }
        for kind in Misfortune.allCases {
            guard !kind.isOfInput, !kind.isOfTopics, let probability = draw.probabilities[kind] else { continue }
            if Double.random(in: 0..<1, using: &random) < probability { happen(kind) }
        }
        befallTopics()
        // Nobody is there, and time goes by.
        if processes.isEmpty { clock.advance(by: .seconds(1)) }
        if let until = markersDelayedUntil, clock.now >= until { endMarkersDelay() }
        system.feed(self, &inputRandom)
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            round(pause: .milliseconds(Int.random(in: 0...60, using: &random)))
        }
        watchReaders()
    }

    /// From here on nothing goes wrong any more.
    func endFaults() {
        hasFaults = false
        clocksRightSince = wall.now
        bringTopicBack()
        system.endFeed(self)
        for order in orders { faults.note(order.kind, times: cluster.timesFired(order.fault)) }
        orders = []
        for (kind, count) in cluster.happened { faults.note(kind, times: count) }
        cluster.heal()
        endMarkersDelay()
        for process in processes {
            process.clock.setRight()
            process.pausedUntil = process.pausedUntil.map { min($0, clock.now) }
        }
        excusedUntil = clock.now
        peaceBegins = clock.now + .seconds(15)
        if processes.isEmpty { join() }
    }

    func endMarkersDelay() {
        cluster.delaysMarkers = false
        markersDelayedUntil = nil
        excusedUntil = clock.now
    }

    private func happen(_ kind: Misfortune) {
        digest.note(kind.rawValue, clock.now.milliseconds)
        if order(kind) { return }
        guard isDone(kind) else { return }
        faults.note(kind)
        if kind.holdsReadersUp { excusedUntil = clock.now }
    }

    /// - Returns: false if there was no occasion for it.
    private func isDone(_ kind: Misfortune) -> Bool {
        switch kind {
        case .delayedMarkers, .offsetsExpire, .compaction, .compactionOfTombstones, .partitionsAdded,
            .retentionOvertakes:
            return happenAtBroker(kind)
        case .joins:
            guard processes.count < 4, everybodyAwayUntil.map({ clock.now >= $0 }) ?? true else { return false }
            let skew = ElapsedTime(milliseconds: Int64.random(in: -2_000...2_000, using: &random))
            guard join(skew: skew) else { return false }
            if skew != .zero { cluster.note(.clockSkew) }
            return true
        case .timePasses:
            clock.advance(by: .seconds(Int.random(in: 1...31, using: &random)))
            return true
        case .everybodyIsAway:
            guard !processes.isEmpty else { return false }
            for process in processes { crash(process) }
            everybodyAwayUntil = clock.now + .seconds(Int64.random(in: 1...40, using: &random))
            return true
        default:
            guard let process = processes.randomElement(using: &random) else { return false }
            return happen(kind, to: process)
        }
    }

    private func happen(_ kind: Misfortune, to process: SimulatedProcess) -> Bool {
        switch kind {
        case .leaves:
            // A process that stands still cannot leave.
            guard process.pausedUntil == nil else { return false }
            leave(process)
        case .crashes: crash(process)
        case .crashesBeforeCall, .crashesAfterCall:
            return crashInCall(process, afterEffect: kind == .crashesAfterCall)
        case .pauses: return pause(process, .milliseconds(Int.random(in: 100...9_000, using: &random)))
        case .pausesBeyondSession: return pause(process, .seconds(Int.random(in: 11...40, using: &random)))
        case .expelled:
            cluster.expel(clientId: process.clientId)
        case .rebalancesBackToBack:
            for _ in 0..<Int.random(in: 2...4, using: &random) {
                guard let one = processes.randomElement(using: &random) else { return true }
                cluster.expel(clientId: one.clientId)
                if let other = processes.randomElement(using: &random) { turn(other) }
            }
        case .clockJumpsForward:
            cluster.note(.clockJump)
            process.clock.jump(by: .seconds(Int64.random(in: 1...90_000, using: &random)))
            clocksAheadMost = max(clocksAheadMost, process.clock.ahead)
        case .clockJumpsBack:
            cluster.note(.clockJump)
            process.clock.jump(by: ElapsedTime(milliseconds: -Int64.random(in: 1_000...90_000_000, using: &random)))
        default: preconditionFailure("\(kind) does not befall one process")
        }
        return true
    }

    /// - Returns: false if it stands still already.
    private func pause(_ process: SimulatedProcess, _ duration: Duration) -> Bool {
        guard process.pausedUntil == nil else { return false }
        process.ports.stop()
        process.pausedUntil = clock.now + ElapsedTime(duration)
        noteDesertion()
        return true
    }

    private func crashInCall(_ process: SimulatedProcess, afterEffect: Bool) -> Bool {
        guard process.pausedUntil == nil else { return false }
        let moment: FaultMoment = afterEffect ? .afterEffect : .beforeEffect
        process.ports.die(afterCalls: Int.random(in: 0...25, using: &random), moment)
        for _ in 0..<12 where !process.ports.isDead { round(pause: .milliseconds(20)) }
        guard process.ports.isDead else {
            crash(process)
            return false
        }
        return true
    }

    /// A copy that is behind by a day is given up; in a run it may be behind by as much as a process stands still.
    private var standbysAreAtEnd: Bool {
        processes.flatMap(\.status.standbys).allSatisfy { copy in
            copy.next >= cluster.ends(of: TopicPartition(draw.settings.stateTopic, copy.partition)).stable
        }
    }

    private func happenAtBroker(_ kind: Misfortune) -> Bool {
        switch kind {
        case .delayedMarkers:
            cluster.delaysMarkers = true
            markersDelayedUntil = clock.now + ElapsedTime(milliseconds: Int64.random(in: 50...3_000, using: &random))
        case .offsetsExpire: return cluster.expireOffsets(draw.settings.applicationId)
        case .compaction: return cluster.compact(draw.settings.stateTopic).records > 0
        case .compactionOfTombstones:
            // Tombstones stay for a day, and no restore takes as long.
            let allRun = processes.flatMap(\.tasks).allSatisfy { $0.state == .running }
            guard allRun, standbysAreAtEnd else { return false }
            return cluster.compact(draw.settings.stateTopic, removingTombstones: true).tombstones > 0
        case .partitionsAdded:
            guard let topic = system.inputTopics.randomElement(using: &random) else { return false }
            if topic == topics.missing?.topic { return false }
            let count = cluster.partitionCount(of: topic)
            guard count < 6 else { return false }
            cluster.addPartitions(to: topic, total: count + 1)
        case .retentionOvertakes:
            guard draw.system == .ledger, let topic = system.inputTopics.randomElement(using: &random) else {
                return false
            }
            let count = cluster.partitionCount(of: topic)
            let place = TopicPartition(topic, Partition(Int32.random(in: 0..<count, using: &random)))
            let end = cluster.ends(of: place).high.rawValue
            guard end > 0 else { return false }
            cluster.removeRecords(of: place, before: Offset(Int64.random(in: 0...end, using: &random)))
        default: preconditionFailure("\(kind) does not befall the broker")
        }
        return true
    }
}

extension Misfortune {
    /// True if readers stand still because of it, whatever processes do.
    var holdsReadersUp: Bool { self == .delayedMarkers || self == .timePasses }
}

extension FaultKind {
    /// True if a living process may have to repeat what ends its transaction, or cannot know whose is to be ended,
    /// whatever the call.
    var delaysTransactions: Bool {
        switch self {
        case .lateDecision, .lostDecision, .lateMarkers, .groupCoordinatorMove, .groupForgotten, .offsetsExpired,
            .transactionCoordinatorMove, .survivingRequest:
            true
        default: false
        }
    }

    /// True if it does so at a call that a transaction, or the look for its owner, needs.
    var delaysCalls: Bool { [.slowCall, .lostRequest, .lostAnswer].contains(self) }
}
