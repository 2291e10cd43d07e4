import RecordLog
import Simulation
import SplitMix
import StreamCore
import StreamRuntime

/// A cluster in memory with processes on it, which take turns on one OS thread. Time passes by the calls that are made
/// and between the rounds, on a clock that nothing else moves.
final class World {
    let draw: Draw
    let system: any SystemUnderTest
    let clock: ManualClock
    let wall: WallClock
    let cluster: MemoryCluster
    let digest: EventDigest
    let memory = MemoryWatch()
    /// Wraps the cluster that a process sees; a test puts a defect in here.
    let wrap: @Sendable (any Cluster) -> any Cluster
    private(set) var topology: Topology
    /// Set in the last run alone.
    private var targets: [TopicPartition: Offset]?
    var random: SplitMix64
    /// A sequence of its own: what happens to processes does not change what comes in.
    var inputRandom: SplitMix64
    var topics: TopicFaults
    /// What processes have told, dead ones too.
    let told = ToldEvents()
    var processes: [SimulatedProcess] = []
    /// How many calls are waiting one inside the other.
    private var waitingCalls = 0
    var faults = FaultTable()
    var orders: [(fault: Fault, kind: Misfortune)] = []
    var markersDelayedUntil: Instant?
    var everybodyAwayUntil: Instant?
    /// Readers may have stood still until then because of a fault of the broker or the world.
    var excusedUntil: Instant
    /// Nobody was there at some moment since the readers were last looked at.
    var isDeserted = false
    /// What is open then may last for as long as a transaction may.
    var hamperedAt = Instant.distantPast
    /// How many faults that delay transactions had happened when the readers were last looked at.
    var delaysSeen = 0
    /// Why processes ended by themselves, since the faults ceased.
    var endings: [String] = []
    var hasFaults = true
    /// When all clocks were set right.
    var clocksRightSince = Instant.distantPast
    /// How far ahead a clock was at the most.
    var clocksAheadMost = ElapsedTime.zero
    /// From then on nothing that a fault left behind ends a process.
    var peaceBegins = Instant.distantFuture
    private(set) var joined = 0
    let reader: OutputReader
    let plan: DrawnPlan
    var standstill: Symptom?

    init(
        _ draw: Draw, _ system: any SystemUnderTest, clock: ManualClock, digest: EventDigest,
        wrap: @escaping @Sendable (any Cluster) -> any Cluster
    ) {
        self.draw = draw
        plan = DrawnPlan(draw.callFaults, seed: draw.seed)
        self.system = system
        self.digest = digest
        self.wrap = wrap
        self.clock = clock
        wall = WallClock(clock)
        var settings = MemoryCluster.Settings()
        settings.transactionTimeout = draw.settings.transactionTimeout
        settings.transactionCheckInterval = .seconds(10)
        settings.sessionTimeout = draw.session
        settings.maxPollInterval = draw.pollInterval
        settings.callsWait = draw.callsWait
        cluster = MemoryCluster(clock: clock, settings: settings)
        cluster.rejoin = draw.rejoinsInBackground ? .inBackground : .inPoll
        topology = memory.watching(system.topology)
        random = SplitMix64(seed: draw.seed, stream: 2)
        inputRandom = SplitMix64(seed: draw.seed, stream: 3)
        topics = TopicFaults(random: SplitMix64(seed: draw.seed, stream: 6))
        excusedUntil = clock.now
        let forEver = [NewTopic.Setting("cleanup.policy", "delete"), .init("retention.ms", "-1")]
        cluster.createTopic(draw.settings.exchangeTopic, partitions: draw.partitions, settings: forEver)
        cluster.createTopic(
            draw.settings.stateTopic, partitions: draw.partitions, settings: [.init("cleanup.policy", "compact")])
        for (topic, count) in zip(system.inputTopics, draw.inputPartitions) {
            cluster.createTopic(topic, partitions: count, settings: system.settings(of: topic))
        }
        for topic in topology.outputs {
            cluster.createTopic(topic, partitions: 2, settings: system.settings(of: topic))
        }
        reader = OutputReader(cluster, topics: system.outputTopics)
        let reference = WorldReference(world: self)
        cluster.passes { reference.world.pass($0) }
        cluster.follow(plan, kinds: Set(draw.callFaults.keys))
    }

    // MARK: - Processes

    /// Nobody starts while a topic is missing.
    /// - Returns: false if none can start: a topic is missing.
    @discardableResult
    func join(skew: ElapsedTime = .zero) -> Bool {
        if topics.missing != nil { return false }
        joined += 1
        let name = "p\(joined)"
        let ports = cluster.process(name)
        digest.note("join \(name)", clock.now.milliseconds)
        do {
            let process = try SimulatedProcess(
                name, ports: ports,
                cluster: NotedCluster(wrap(ports), CallNotes(name: name, clock: clock, digest: digest)),
                clock: SkewedClock(clock, wall, skew: skew), events: ProcessEvents(name: name, digest: digest, told),
                topology: topology, settings: draw.settings, partitions: draw.partitions,
                sourcePartitions: topology.sources.map { cluster.partitionCount(of: $0.topic) }, targets: targets,
                since: clock.now)
            processes.append(process)
            run(process) { () throws(StreamFailure) in try process.start() }
        } catch {
            digest.note("\(name) cannot start: \(error)", clock.now.milliseconds)
        }
        return true
    }

    func leave(_ process: SimulatedProcess) {
        digest.note("leave \(process.name)", clock.now.milliseconds)
        processes.removeAll { $0 === process }
        process.isInTurn = true
        process.close()
        faults.note(steps: process.steps)
        noteDesertion()
    }

    /// The process is gone; the group misses it when its session ends.
    func crash(_ process: SimulatedProcess) {
        digest.note("crash \(process.name)", clock.now.milliseconds)
        processes.removeAll { $0 === process }
        process.die()
        faults.note(steps: process.steps)
        noteDesertion()
    }

    /// Faults may end a process, so only an end in peace is a symptom. None of them makes state that is to be refused.
    private func end(_ process: SimulatedProcess, because failure: StreamFailure) {
        digest.note("end of \(process.name): \(failure)", clock.now.milliseconds)
        var isRefusal = false
        if case .refused = failure.kind { isRefusal = true }
        if clock.now >= peaceBegins && !process.ports.isDead || isRefusal {
            endings.append("\(process.name): \(failure)")
        }
        crash(process)
    }

    /// Ends all processes in order, and starts some under a clock that stands still. They end their work at the inputs'
    /// ends of now, and they alone read what comes in between.
    func beginLastRun(of topology: Topology) {
        for process in processes { leave(process) }
        for _ in 0..<draw.lastRunFeeds { system.feed(self, &inputRandom) }
        system.endFeed(self)
        wall.stop()
        self.topology = memory.watching(topology)
        var targets: [TopicPartition: Offset] = [:]
        for topic in system.inputTopics {
            let places = (0..<Partition(cluster.partitionCount(of: topic))).map { TopicPartition(topic, $0) }
            for place in places { targets[place] = cluster.ends(of: place).high }
        }
        self.targets = targets
        for _ in 0..<draw.lastRunMembers { join() }
    }

    /// Draws whether a fault of the input happens now.
    func happens(_ kind: Misfortune) -> Bool { happens(kind, &random) }

    func happens(_ kind: Misfortune, _ random: inout SplitMix64) -> Bool {
        guard isDrawn(kind, &random) else { return false }
        faults.note(kind)
        switch kind {
        case .inputDuplicated: cluster.note(.duplicateInput)
        case .inputLate: cluster.note(.lateInput)
        case .inputFuture: cluster.note(.futureInput)
        default: break
        }
        return true
    }

    /// Draws whether the order of what comes next is turned round; it happens if there are two (`noteReordered`).
    func drawsReordering() -> Bool { isDrawn(.inputReordered, &random) }

    func noteReordered() { faults.note(.inputReordered) }

    private func isDrawn(_ kind: Misfortune, _ random: inout SplitMix64) -> Bool {
        guard hasFaults, let probability = draw.probabilities[kind] else { return false }
        return Double.random(in: 0..<1, using: &random) < probability
    }

    // MARK: - Time

    /// One iteration of every process that is not paused, then `pause`.
    func round(pause: Duration) {
        for process in processes { turn(process) }
        clock.advance(by: pause)
        readOutputs()
    }

    func readOutputs() { reader.read(system.take) }

    func turn(_ process: SimulatedProcess) {
        guard !process.isInTurn, processes.contains(where: { $0 === process }) else { return }
        if let until = process.pausedUntil {
            if clock.now < until { return }
            process.pausedUntil = nil
            process.ports.resume()
        }
        let hasRun = run(process) { () throws(StreamFailure) in try process.runOnce() }
        if hasRun && process.ports.isDead {
            digest.note("end of \(process.name): died in a call", clock.now.milliseconds)
            crash(process)
        }
    }

    /// - Returns: false if that ended the process.
    @discardableResult
    private func run(_ process: SimulatedProcess, _ work: () throws(StreamFailure) -> Void) -> Bool {
        process.isInTurn = true
        defer { process.isInTurn = false }
        do throws(StreamFailure) {
            try work()
            return true
        } catch {
            end(process, because: error)
            return false
        }
    }

    /// A call of a process takes so long: the others go on meanwhile.
    fileprivate func pass(_ duration: Duration) {
        let end = clock.now + ElapsedTime(duration)
        waitingCalls += 1
        defer { waitingCalls -= 1 }
        if waitingCalls <= 2 && duration >= .milliseconds(20) {
            let pause: Duration = max(.milliseconds(25), duration / 40)
            while clock.now + ElapsedTime(pause) < end { round(pause: pause) }
        }
        if clock.now < end { clock.advance(by: Duration(end - clock.now)) }
    }
}

/// Only called on the thread that owns the world, while the world is there.
private struct WorldReference: @unchecked Sendable {
    unowned let world: World
}
