package import RecordLog
package import Simulation
package import StreamCore
import StreamRuntime

/// What came of one run.
package struct Verdict: Sendable {
    package var draw: Draw
    package var symptoms: [Symptom]
    package var faults: FaultTable
    /// The hash of all that happened.
    package var digest: UInt64
    package var events: Int
    package var standstills: Standstills
    /// The virtual time that passed with faults, and until all had settled afterwards.
    package var withFaults: ElapsedTime
    package var settling: ElapsedTime

    package var isGood: Bool { symptoms.isEmpty }

    /// The virtual times as a line of text.
    package var times: String {
        "virtual time \(Double(withFaults.milliseconds) / 1000) s with faults, settled after "
            + "\(Double(settling.milliseconds) / 1000) s"
    }
}

/// The run of one seed.
package struct SeedRun {
    private let draw: Draw
    package let options: SeedOptions
    /// The ledger's topology, made for a clock; a test puts a defect in here.
    package var ledger: (ManualClock) -> Topology = { _ in LedgerTopology.topology }
    /// Wraps the cluster that each process sees; a test puts a defect in here.
    package var wrap: @Sendable (any Cluster) -> any Cluster = { $0 }
    /// Called with the text of each event.
    package var trace: (@Sendable (String) -> Void)?
    /// `transaction.timeout` of the run; `nil` stands for the one that is drawn.
    package var transactionTimeout: Duration?

    /// After the last fault everything settles within this virtual time: a session, a transaction and a restore may
    /// have to end one after the other, and a clock that went back by less than a minute is not told of.
    static func settlingBound(_ draw: Draw) -> ElapsedTime {
        .seconds(110) + ElapsedTime(draw.settings.transactionTimeout)
    }

    package init(seed: UInt64, options: SeedOptions = SeedOptions()) {
        self.options = options
        draw = Draw(seed: seed, options: options)
    }

    package func run() -> Verdict {
        let digest = EventDigest(trace: trace)
        let clock = ManualClock(draw.start)
        let system: any SystemUnderTest =
            switch draw.system {
            case .ledger: LedgerSystem(state: draw.settings.stateTopic, ledger(clock))
            case .widgets: WidgetSystem(draw)
            }
        var draw = draw
        if let transactionTimeout { draw.settings.transactionTimeout = transactionTimeout }
        let world = World(draw, system, clock: clock, digest: digest, wrap: wrap)
        let began = world.clock.now
        for _ in 0..<draw.members { world.join() }
        for _ in 0..<draw.steps { world.step() }
        world.endFaults()
        let ceased = world.clock.now
        var symptoms = settle(world)
        let settled = world.clock.now
        if symptoms.isEmpty, system.idleHours > 0 { symptoms += idle(world, system.idleHours) }
        if symptoms.isEmpty { symptoms += judgeStanding(world) }
        if symptoms.isEmpty, let topology = system.finalTopology { symptoms += bringUp(world, topology) }
        symptoms += stayQuiet(world)
        symptoms += system.violations
        if let standstill = world.standstill { symptoms.append(standstill) }
        for ending in world.endings { symptoms.append(Symptom(.endedByItself, ending)) }
        symptoms += fencedInPeace(world)
        noteTopics(world)
        for process in world.processes { world.leave(process) }
        return Verdict(
            draw: draw, symptoms: symptoms, faults: world.faults, digest: digest.value, events: digest.events,
            standstills: world.reader.standstills, withFaults: ceased - began, settling: settled - ceased)
    }

    /// The phase without faults: ends when all is done, or when its time is over.
    private func settle(_ world: World) -> [Symptom] {
        let deadline = world.clock.now + Self.settlingBound(world.draw)
        var rounds = 0
        while world.clock.now < deadline {
            if world.processes.isEmpty { world.join() }
            world.round(pause: .milliseconds(25))
            rounds += 1
            guard rounds % 8 == 0 else { continue }
            world.watchReaders()
            if world.allTasksRun && world.system.isComplete(world) && world.lags.isEmpty && world.readersSeeAll {
                return []
            }
        }
        var symptoms = [
            Symptom(
                .notSettled,
                "after \(Self.settlingBound(world.draw).milliseconds / 1000) s: \(world.processes.map(\.tasks))")
        ]
        if !world.allTasksRun { symptoms.append(Symptom(.stuckRestore, "\(world.processes.map(\.tasks))")) }
        if !world.lags.isEmpty { symptoms.append(Symptom(.lag, world.lags.joined(separator: ", "))) }
        return symptoms
    }

    /// Hours go by, and with them comes what waits for a time, such as for a token.
    private func idle(_ world: World, _ hours: Int64) -> [Symptom] {
        world.wall.lapse(hours * 3600)
        for _ in 0..<40 { world.round(pause: .milliseconds(25)) }
        return settle(world)
    }

    /// Pauses between renewals go by, and inputs are looked at whether they are still the same; then what stands is
    /// right, with nobody's help.
    private func judgeStanding(_ world: World) -> [Symptom] {
        world.wall.lapse(120)
        let isCompared = !world.topics.remade.isEmpty || !world.topics.cut.isEmpty
        let compared = world.clock.now + (isCompared ? ElapsedTime(draw.settings.comparisonInterval) : .zero)
        while world.clock.now < compared { world.round(pause: .milliseconds(200)) }
        for _ in 0..<40 { world.round(pause: .milliseconds(25)) }
        let symptoms = settle(world)
        return symptoms.isEmpty ? world.system.judgeStanding(world) : symptoms
    }

    /// Some processes bring everything up to an instant.
    private func bringUp(_ world: World, _ topology: Topology) -> [Symptom] {
        world.beginLastRun(of: topology)
        let deadline = world.clock.now + Self.settlingBound(world.draw)
        while world.clock.now < deadline {
            world.round(pause: .milliseconds(25))
            // A member that died may still have tasks, which nobody brings up before its session is over.
            let processes = world.processes
            guard !processes.isEmpty, world.allTasksRun, processes.allSatisfy(\.status.isBroughtUp) else { continue }
            for process in processes { process.releaseHeld() }
            guard processes.allSatisfy(\.status.hasReleasedHeld), world.lags.isEmpty, world.readersSeeAll
            else { continue }
            // What has become readable is read.
            world.round(pause: .milliseconds(25))
            return []
        }
        return [Symptom(.notSettled, "the last run is not brought up, behind: \(world.lags)")]
    }

    /// Nothing is left to do, so nothing may happen; then the final judgement.
    private func stayQuiet(_ world: World) -> [Symptom] {
        // Partitions that were added are found by then, and claimed.
        let maintained = world.clock.now + ElapsedTime(world.draw.settings.maintenanceInterval) + .seconds(1)
        while world.clock.now < maintained { world.round(pause: .milliseconds(200)) }
        let read = world.recordsRead
        for _ in 0..<40 { world.round(pause: .milliseconds(25)) }
        var symptoms = world.system.judge(world)
        if symptoms.isEmpty && world.system.isQuietAfterwards && world.recordsRead > read {
            // Offsets are committed anew now and then, which writes no output.
            symptoms.append(Symptom(.notQuiet, "\(world.recordsRead - read) records"))
        }
        let alive = world.memory.alive
        let inUse = world.nodesInUse
        if alive > inUse { symptoms.append(Symptom(.memoryKept, "\(alive) nodes, \(inUse) in use")) }
        return symptoms
    }

    /// Where processes only come and go, nobody has a reason to be fenced. A release whose markers are late is one.
    private func fencedInPeace(_ world: World) -> [Symptom] {
        let peaceful: Set<Misfortune> = [.joins, .leaves]
        let fenced = world.cluster.counters.fencedCalls
        guard draw.callFaults.isEmpty, Set(draw.probabilities.keys).isSubset(of: peaceful), fenced > 0 else {
            return []
        }
        return [Symptom(.healthyFenced, "\(fenced) calls were refused")]
    }

    /// The digest holds all that was written, with offsets, aborted records included.
    private func noteTopics(_ world: World) {
        let topics =
            world.system.inputTopics + world.system.outputTopics
            + [draw.settings.exchangeTopic, draw.settings.stateTopic]
        for topic in topics {
            for record in world.cluster.records(topic, isolation: .readUncommitted) {
                world.digest.note(record.key ?? [])
                world.digest.note(record.value ?? [])
                world.digest.note([UInt8(truncatingIfNeeded: record.offset.rawValue)])
            }
        }
    }
}
