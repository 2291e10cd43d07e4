import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import TestSupport
import Testing

@Suite("Exactly once under random schedules")
struct ExactlyOnceTests {
    /// What may happen between two rounds.
    private enum Accident: CaseIterable {
        case nothing, joins, leaves, crashes, crashesInCall, expelled, delayedMarkers, offsetsExpire, fault, timePasses
    }

    private struct Schedule {
        let application: SimulatedApplication
        var random: SplitMix64
        var joined = 0
        var happened: [Accident: Int] = [:]

        init(seed: UInt64) {
            random = SplitMix64(seed: seed)
            let partitions = Int32.random(in: 1...4, using: &random)
            application = SimulatedApplication(
                partitions: partitions, inputPartitions: Int32.random(in: 1...6, using: &random))
            application.settings.pollMaximum = Int.random(in: 3...20, using: &random)
            application.settings.outputBytesMax = [0, 500, 1 << 20].randomElement(using: &random) ?? 0
            // The schedule breaks producers more often than a thread may bear.
            application.settings.failuresMax = .max
            application.cluster.rejoin = Bool.random(using: &random) ? .inPoll : .inBackground
        }

        mutating func step() throws {
            var accident = Accident.allCases.randomElement(using: &random) ?? .nothing
            if application.members.isEmpty { accident = .joins }
            if accident == .joins && application.members.count >= 4 { accident = .leaves }
            try happen(accident)
            happened[accident, default: 0] += 1
            application.append(Int.random(in: 0...20, using: &random))
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                try application.round(pause: .milliseconds(Int.random(in: 0...60, using: &random)))
            }
        }

        private mutating func happen(_ accident: Accident) throws {
            let cluster = application.cluster
            switch accident {
            case .nothing: break
            case .joins:
                joined += 1
                try application.join("m\(joined)", tick: .milliseconds(1))
            case .leaves: application.leave(application.members.randomElement(using: &random)!)
            case .crashes: application.crash(application.members.randomElement(using: &random)!)
            case .crashesInCall: try crashInCall()
            case .expelled: cluster.expel(clientId: application.members.randomElement(using: &random)!.clientId)
            case .delayedMarkers: cluster.delaysMarkers.toggle()
            case .offsetsExpire: cluster.expireOffsets("app")
            case .fault: injectFault()
            case .timePasses: application.clock.advance(by: .seconds(Int.random(in: 1...31, using: &random)))
            }
        }

        private mutating func crashInCall() throws {
            let member = application.members.randomElement(using: &random)!
            let call = ["produce", "sendOffsets", "commit", "abort"].randomElement(using: &random)!
            member.ports.die(at: call)
            for _ in 0..<8 where !member.ports.isDead { try application.round(dying: member) }
            application.crash(member)
        }

        private mutating func injectFault() {
            let moment: FaultMoment = Bool.random(using: &random) ? .beforeEffect : .afterEffect
            if Bool.random(using: &random) {
                let call = [LogCall.poll, .committed, .watermarks, .seek, .deleteRecords, .describeTopics]
                    .randomElement(using: &random)!
                let timedOut = LogError(.timedOut, name: "_TIMED_OUT", "no answer", isRetriable: true)
                application.cluster.inject(timedOut, into: call, moment, times: Int.random(in: 1...4, using: &random))
                return
            }
            let call = [TransactionalCall.initialise, .produce, .sendOffsets, .commit, .abort]
                .randomElement(using: &random)!
            // A record that was written although its call failed is in the transaction: only dropping that is right.
            let canRepeat = !(call == .produce && moment == .afterEffect)
            let errors: [TransactionError] =
                (canRepeat ? [.retriable(broken)] : []) + [.abortable(broken), .fenced(broken), .fatal(broken)]
            application.cluster.inject(
                errors.randomElement(using: &random)!, into: call, moment, times: Int.random(in: 1...3, using: &random))
        }

        mutating func finish() throws {
            application.cluster.delaysMarkers = false
            application.cluster.cancelFaults()
            if application.members.isEmpty { try happen(.joins) }
        }
    }

    @Test(
        "whatever members and brokers do, each input offset is applied once and each message received once, in order",
        arguments: Array(1...40) as [UInt64])
    func randomSchedule(seed: UInt64) throws {
        var schedule = Schedule(seed: seed)
        for _ in 0..<60 {
            do {
                try schedule.step()
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
        }
        try schedule.finish()
        try schedule.application.expectExactlyOnce("seed \(seed), \(schedule.happened)")
    }

    @Test("the random schedules do what they are to do")
    func schedulesAreRich() throws {
        var happened: Set<Accident> = []
        var dropped = 0, aborted = 0, timedOut = 0, fenced = 0, stale = 0
        for seed in 1...8 as ClosedRange<UInt64> {
            var schedule = Schedule(seed: seed)
            for _ in 0..<60 { try schedule.step() }
            happened.formUnion(schedule.happened.keys)
            let counted = schedule.application.cluster.counters
            dropped += counted.recordsDropped
            aborted += counted.transactionsAborted
            timedOut += counted.transactionsTimedOut
            fenced += counted.fencedCalls
            stale += counted.staleOffsets
        }
        #expect(happened == Set(Accident.allCases))
        #expect(dropped > 0 && aborted > 0 && timedOut > 0 && fenced > 0 && stale > 0)
    }
}
