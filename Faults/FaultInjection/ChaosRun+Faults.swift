import Foundation
import Glibc
import Synchronization
import TestSupport

extension ChaosRun {
    /// Has faults happen until there were enough or time is up, and returns when each of them is over.
    ///
    /// - Returns: how long that took, in seconds.
    func injectFaults() throws -> Double {
        let began = monotonicSeconds()
        let end = began + plan.seconds
        let running = Running()
        let kinds = FaultKind.allCases.filter { kind in
            !plan.without.contains(kind) && (kind != .sinkDiskFull || disk != nil)
        }
        let session = Double(plan.sessionSeconds)
        let schedules = [
            (
                FaultSchedule(
                    seed: plan.seed, kinds: kinds.filter { $0.victim != .broker }, every: plan.processFaultEvery,
                    session: session), plan.processFaults, false
            ),
            (
                FaultSchedule(
                    seed: plan.seed &+ 1, kinds: kinds.filter { $0.victim == .broker }, every: plan.brokerFaultEvery,
                    session: session), plan.brokerFaults, true
            ),
        ]
        for (schedule, most, isOfBrokers) in schedules {
            running.begin { [self] in inject(schedule, most: most, isOfBrokers: isOfBrokers, until: end, running) }
        }
        var nextLine = began + 10
        while running.count > 0 {
            for program in processes + fleet + [sink] { try program.supervise() }
            if monotonicSeconds() >= nextLine {
                nextLine += 10
                sayProgress(monotonicSeconds() - began)
            }
            Thread.sleep(forTimeInterval: 0.1)
        }
        return monotonicSeconds() - began
    }

    /// Draws faults and has each happen on a thread of its own, those of brokers one after the other.
    private func inject(
        _ schedule: FaultSchedule, most: Int?, isOfBrokers: Bool, until end: Double, _ running: Running
    ) {
        var schedule = schedule
        while monotonicSeconds() < end, let fault = schedule.next() {
            let done = counts.count { ($0 == .broker) == isOfBrokers }
            if done >= most ?? .max { return }
            Thread.sleep(forTimeInterval: max(0, min(fault.wait, end - monotonicSeconds())))
            guard monotonicSeconds() < end else { return }
            if isOfBrokers {
                happen(fault)
            } else {
                running.begin { [self] in happen(fault) }
            }
        }
    }

    private func happen(_ fault: DrawnFault) {
        do {
            let happened =
                switch fault.kind.victim {
                case .process: try hurt(processes[fault.target % processes.count], fault)
                case .sink: try hurt(sink, fault)
                case .broker: try hurtBrokers(fault)
                }
            if !happened { counts.noteLeftOut(fault.kind) }
        } catch {
            say("\(fault.kind.rawValue) did not go as it should: \(error)")
        }
    }

    // MARK: - Programs

    private func hurt(_ victim: ProgramSlot, _ fault: DrawnFault) throws -> Bool {
        try victim.whileHurt {
            guard victim.isRunning else { return }
            if fault.kind.victim == .process { watch.noteFault(fault.kind) }
            let proxy = processes.firstIndex { $0 === victim }.map { proxies[$0] }
            try counts.during(fault.kind, of: victim.name) {
                switch fault.kind {
                case .processKill, .sinkKill:
                    victim.kill()
                    Thread.sleep(forTimeInterval: fault.seconds)
                    try victim.start()
                case .processTerminate, .sinkTerminate:
                    victim.terminate()
                    Thread.sleep(forTimeInterval: fault.seconds)
                    try victim.start()
                case .processPause:
                    victim.signal(SIGSTOP)
                    Thread.sleep(forTimeInterval: fault.seconds)
                    victim.signal(SIGCONT)
                case .processCut: during(fault) { proxy?.set($0 ? .cut : .pass) }
                case .processSilence: during(fault) { proxy?.set($0 ? .silence : .pass) }
                case .processDelay:
                    during(fault) { proxy?.set($0 ? .delay(0.05 * Double(1 + fault.target % 8)) : .pass) }
                case .sinkDiskFull: during(fault) { $0 ? disk?.fill() : disk?.empty() }
                default: preconditionFailure("\(fault.kind) is no fault of a program")
                }
            }
        }
    }

    private func during(_ fault: DrawnFault, _ set: (_ isOn: Bool) -> Void) {
        set(true)
        Thread.sleep(forTimeInterval: fault.seconds)
        set(false)
    }

    // MARK: - Brokers

    private func hurtBrokers(_ fault: DrawnFault) throws -> Bool {
        let all = Array(cluster.nodes.indices)
        let one = [fault.target % all.count]
        watch.noteFault(fault.kind)
        watch.outageBegins()
        defer { watch.outageEnds() }
        try counts.during(fault.kind, of: "brokers") {
            switch fault.kind {
            case .brokerKill: try kill(one, fault)
            case .leaderKill: try kill([leader(of: fault.target % plan.partitions)], fault)
            case .allKill: try kill(all, fault)
            case .brokerStall: stall(one, fault)
            case .allStall: stall(all, fault)
            case .brokerBounce:
                try cluster.stop(one[0])
                Thread.sleep(forTimeInterval: fault.seconds)
                try cluster.restart(one)
            case .topicRecreated: try recreateConfigurations()
            default: preconditionFailure("\(fault.kind) is no fault of a broker")
            }
        }
        return true
    }

    private func kill(_ numbers: [Int], _ fault: DrawnFault) throws {
        try cluster.kill(numbers)
        Thread.sleep(forTimeInterval: fault.seconds)
        try cluster.restart(numbers)
    }

    private func stall(_ numbers: [Int], _ fault: DrawnFault) {
        for number in numbers { cluster.signal(number, SIGSTOP) }
        Thread.sleep(forTimeInterval: fault.seconds)
        for number in numbers { cluster.signal(number, SIGCONT) }
    }

    /// The number of the broker that leads a partition of `timelines`.
    private func leader(of partition: Int) -> Int {
        Kcat(bootstrap: cluster.bootstrap).leader(of: partition, in: "timelines").map { $0 - 1 } ?? 0
    }

    // MARK: - Progress

    private func sayProgress(_ seconds: Double) {
        let figures = watch.figures
        let hurt = counts.count { $0 != .broker }
        let incidents = (processes + [sink]).reduce(0) { $0 + $1.incidents.count }
        say(
            "\(Int(seconds)) s: \(hurt) faults of processes, \(counts.count { $0 == .broker }) of brokers, "
                + "\(writer.generations) generations, lag \(figures.lag.map(String.init) ?? "unknown"), "
                + "longest stand-still \(tenths(figures.standStill)) s, incidents \(incidents)"
                + (figures.lastFailure.map { "; not answered: \($0)" } ?? ""))
    }
}

func tenths(_ value: Double) -> String { String(format: "%.1f", value) }

/// Counts the threads that are at work.
private final class Running: Sendable {
    private let state = Mutex(0)

    var count: Int { state.withLock { $0 } }

    func begin(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0 += 1 }
        Thread { [self] in
            work()
            state.withLock { $0 -= 1 }
        }.start()
    }
}
