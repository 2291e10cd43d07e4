import RecordLog
import Simulation
import SplitMix
import StreamCore
import StreamRuntime
import Synchronization

/// An application in processes of a cluster in memory, while a plan of faults that a seed draws is followed.
final class PlannedApplication {
    let clock = ManualClock()
    let cluster: MemoryCluster
    var settings: StreamSettings
    /// By the seed: the kinds that may happen.
    let kinds: Set<FaultKind>
    private(set) var processes: [Process] = []
    private var random: SplitMix64
    private let partitions: Int32
    private let inputPartitions: Int32
    private var joined = 0

    final class Process {
        let ports: MemoryProcess
        let thread: StreamThread
        let events: EventLog
        var stoppedUntil: Instant?

        init(_ ports: MemoryProcess, _ thread: StreamThread, _ events: EventLog) {
            self.ports = ports
            self.thread = thread
            self.events = events
        }
    }

    /// Each kind has a probability of its own for every opportunity.
    private final class Swarm: FaultPlan {
        private let random: Mutex<SplitMix64>
        private let probabilities: [FaultKind: Double]

        init(seed: UInt64, _ probabilities: [FaultKind: Double]) {
            random = Mutex(SplitMix64(seed: seed))
            self.probabilities = probabilities
        }

        func length(of kind: FaultKind, at opportunity: Opportunity) -> Duration? {
            random.withLock { random in
                let isRecord = opportunity.call == .transactional(.produce)
                let probability = probabilities[kind, default: 0] * (isRecord ? 0.2 : 1)
                guard Double.random(in: 0..<1, using: &random) < probability else { return nil }
                switch kind {
                case .pause: return .milliseconds(Int.random(in: 100...20_000, using: &random))
                case .slowCall: return .milliseconds(Int.random(in: 1...3_000, using: &random))
                // Longer than a call may wait, now and then.
                case .lateDecision, .lateMarkers, .lateDelivery, .survivingRequest:
                    return .milliseconds(
                        Int.random(in: 1...2_000, using: &random) * (Bool.random(using: &random) ? 1 : 8))
                default: return .milliseconds(Int.random(in: 1...2_000, using: &random))
                }
            }
        }
    }

    init(seed: UInt64, kinds: Set<FaultKind>) {
        var random = SplitMix64(seed: seed)
        partitions = Int32.random(in: 1...4, using: &random)
        inputPartitions = Int32.random(in: 1...5, using: &random)
        var ports = MemoryCluster.Settings()
        ports.callsWait = true
        cluster = MemoryCluster(clock: clock, settings: ports)
        cluster.rejoin = Bool.random(using: &random) ? .inPoll : .inBackground
        settings = StreamSettings(applicationId: "app", exchangeTopic: "app.exchange", stateTopic: "app.state")
        settings.pollMaximum = Int.random(in: 3...40, using: &random)
        settings.failuresMax = .max
        // Each seed leaves out half of the kinds: rare faults need the absence of others.
        var probabilities: [FaultKind: Double] = [:]
        for kind in kinds.sorted() where Bool.random(using: &random) {
            probabilities[kind] = Double.random(in: 0.002...0.05, using: &random) * Self.weight(of: kind)
        }
        self.kinds = Set(probabilities.keys)
        self.random = random
        let keptForEver = [NewTopic.Setting("cleanup.policy", "delete"), .init("retention.ms", "-1")]
        cluster.createTopic(settings.exchangeTopic, partitions: partitions, settings: keptForEver)
        cluster.createTopic(settings.stateTopic, partitions: partitions, settings: [.init("cleanup.policy", "compact")])
        cluster.createTopic(LedgerTopology.source, partitions: inputPartitions)
        for output in LedgerTopology.topology.outputs { cluster.createTopic(output, partitions: partitions) }
        cluster.follow(Swarm(seed: seed ^ 0xfa01, probabilities), kinds: self.kinds)
    }

    /// What befalls whole processes and groups is seldom, or nothing else would come to its end.
    private static func weight(of kind: FaultKind) -> Double {
        switch kind {
        case .crash, .pause, .expulsion, .groupForgotten, .groupCoordinatorMove, .transactionCoordinatorMove: 0.02
        case .rebalance, .rebalanceAgain, .lostRequest, .unreachable, .slowCall: 0.1
        case .survivingRequest, .lateInquiry: 10
        default: 1
        }
    }

    private func join() {
        joined += 1
        let ports = cluster.process("p\(joined)")
        ports.clock.tick = .milliseconds(1)
        let events = EventLog()
        do {
            let thread = try StreamThread(
                name: ports.name, cluster: ports, topology: LedgerTopology.topology, settings: settings,
                clock: ports.clock, partitions: partitions, sourcePartitions: [inputPartitions],
                background: ports.makeBackground(), observer: events.note)
            try thread.start()
            processes.append(Process(ports, thread, events))
        } catch {
            ports.die()
        }
    }

    /// One iteration of each process.
    func round() {
        for process in processes {
            if let until = process.stoppedUntil {
                if clock.now < until { continue }
                process.stoppedUntil = nil
                process.ports.resume()
            }
            do throws(StreamFailure) { try process.thread.runOnce() } catch { process.ports.die() }
        }
        processes.removeAll(where: \.ports.isDead)
        clock.advance(by: .milliseconds(25))
    }

    func step() {
        switch Int.random(in: 0..<40, using: &random) {
        case 0...1: if processes.count < 3 { join() }
        case 2: leave()
        case 3: processes.randomElement(using: &random)?.ports.die()
        case 4:
            guard let process = processes.randomElement(using: &random), process.stoppedUntil == nil else { break }
            process.ports.stop()
            process.stoppedUntil = clock.now + ElapsedTime(milliseconds: Int64.random(in: 100...25_000, using: &random))
        case 5: cluster.compact(settings.stateTopic)
        case 6: cluster.rebalance("app", times: Int.random(in: 1...2, using: &random))
        default: break
        }
        processes.removeAll(where: \.ports.isDead)
        if processes.isEmpty { join() }
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            let partition = Partition(Int32.random(in: 0..<inputPartitions, using: &random))
            let key = "key-\(Int.random(in: 0..<9, using: &random))"
            cluster.append(LedgerTopology.source, partition, key: key, value: "x")
        }
        for _ in 0..<Int.random(in: 1...8, using: &random) { round() }
    }

    private func leave() {
        guard let index = processes.indices.randomElement(using: &random) else { return }
        guard processes[index].stoppedUntil == nil else { return }
        processes.remove(at: index).thread.close()
    }

    /// Ends all faults.
    ///
    /// - Returns: the virtual time until everything was done; `nil` if it was not within the bound.
    func settle(within bound: Duration) -> Duration? {
        cluster.heal()
        for process in processes where process.stoppedUntil != nil {
            process.stoppedUntil = nil
            process.ports.resume()
        }
        let began = clock.now
        let inputs = inputs
        while clock.now - began < ElapsedTime(bound) {
            if processes.isEmpty { join() }
            for _ in 0..<10 { round() }
            if audit.isComplete(inputs: inputs) { return Duration(clock.now - began) }
        }
        return nil
    }

    var inputs: [String] { cluster.records(LedgerTopology.source).map { "\($0.partition)/\($0.offset)" } }

    var audit: LedgerAudit {
        LedgerAudit(
            applied: cluster.records(LedgerTopology.applied), violations: cluster.records(LedgerTopology.violations),
            changelog: cluster.records(settings.stateTopic))
    }
}
