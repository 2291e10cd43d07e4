import Foundation
import Seeds
import Synchronization

/// Runs seeds in processes, adds up what they tell, and prints the table.
struct Workers {
    let seeds: SeedRange
    let options: SeedOptions
    let seconds: Int?
    let count: Int

    /// - Returns: the exit status.
    func run() -> Int32 {
        Program.write("seeds from \(seeds.first)\(seeds.count != nil ? " to \(seeds.last)" : "")\(options.flags)")
        Program.write("commit \(Checkout.commit)")
        let began = ContinuousClock.now
        let progress = BatchProgress(began: began)
        let group = DispatchGroup()
        for index in 0..<count {
            group.enter()
            let thread = Thread {
                runAll(index, progress, began)
                group.leave()
            }
            thread.start()
        }
        group.wait()
        return conclude(progress.batch, ContinuousClock.now - began, lostWorkers: progress.lostWorkers)
    }

    /// Every `count`th seed; a worker that crashes is followed by another, which goes on behind that seed.
    private func runAll(_ index: Int, _ progress: BatchProgress, _ began: ContinuousClock.Instant) {
        let step = seeds.step * UInt64(count)
        var next = seeds.first + UInt64(index) * seeds.step
        while next <= seeds.last {
            let left = seconds.map { Double($0) - (ContinuousClock.now - began) / .seconds(1) }
            if let left, left <= 0 { return }
            let seeds = SeedRange(first: next, last: seeds.last, step: step)
            guard let crashed = runWorker(seeds, left.map { Int($0.rounded(.up)) }, progress) else { return }
            next = crashed + step
        }
    }

    /// - Returns: the seed in which the worker crashed; `nil` if it ended in order.
    private func runWorker(_ seeds: SeedRange, _ seconds: Int?, _ progress: BatchProgress) -> UInt64? {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        if let program = Bundle.main.executableURL { process.executableURL = program }
        var words = ["--worker", "--seed", "\(seeds.first)…\(seeds.last)+\(seeds.step)"]
        words += options.flags.split(separator: " ").map(String.init)
        if let seconds { words += ["--seconds", "\(seconds)"] }
        process.arguments = words
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch {
            progress.noteLostWorker("cannot start a worker: \(error)")
            return nil
        }
        var reader = WorkerReader()
        var rest = Data()
        while true {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            rest += data
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                reader.take(String(decoding: rest[rest.startIndex..<end], as: UTF8.self), progress)
                rest = Data(rest[(end + 1)...])
            }
        }
        process.waitUntilExit()
        guard process.terminationStatus != 0 else { return nil }
        guard let seed = reader.current else {
            progress.noteLostWorker("a worker ended between two seeds, with \(process.terminationStatus)")
            return nil
        }
        let text = Symptom(.crashed, "the worker ended with \(process.terminationStatus)").description
        progress.add(seed, [text], FaultTable(), 0, Standstills())
        return seed
    }

    private func conclude(_ batch: SeedBatch, _ time: Duration, lostWorkers: Int) -> Int32 {
        progressEnd()
        Program.write("faults that happened in \(batch.runs) runs of \(batch.events) events:")
        for line in batch.table { Program.write(line) }
        Program.write("steps of stream threads from state to state:")
        for line in batch.picture { Program.write(line) }
        if !batch.stepsNeverGone.isEmpty {
            Program.write("steps that none went: \(batch.stepsNeverGone.joined(separator: ", "))")
        }
        Program.write(batch.standstills.line)
        let never = batch.neverHappened(options)
        if !never.isEmpty { Program.write("never happened: \(never.joined(separator: ", "))") }
        for failure in batch.failures.sorted(by: { $0.seed < $1.seed }) {
            Program.write("seed \(failure.seed): \(failure.symptoms[0].prefix(300))")
            Program.write("  again with: swift run simulate --seed \(failure.seed)\(options.flags)")
        }
        let seconds = (time / .seconds(1) * 10).rounded() / 10
        Program.write("\(batch.runs) seeds in \(seconds) s, \(batch.failures.count) failed")
        let missing = self.seconds == nil ? seeds.count.map { $0 - batch.runs } ?? 0 : 0
        if missing > 0 { Program.write("\(missing) seeds did not run: their workers ended before") }
        if lostWorkers > 0 { Program.write("\(lostWorkers) workers ended before their time") }
        let isWhole = batch.runs > 0 && missing == 0 && lostWorkers == 0
        return batch.failures.isEmpty && never.isEmpty && isWhole ? 0 : 1
    }

    private func progressEnd() {
        if isatty(STDERR_FILENO) == 1 { FileHandle.standardError.write(Data("\n".utf8)) }
    }
}

/// Reads a worker's lines.
struct WorkerReader {
    private(set) var current: UInt64?
    private var symptoms: [String] = []
    private var standstills = Standstills()

    mutating func take(_ line: String, _ progress: BatchProgress) {
        let words = line.split(separator: " ", maxSplits: 3)
        switch words.first {
        case "begin": current = UInt64(words[1])
        case "symptom": symptoms.append(String(line.dropFirst("symptom ".count)))
        case "standstills": standstills = Standstills(text: line.dropFirst("standstills ".count))
        case "end":
            let faults = FaultTable(text: words.count > 3 ? words[3] : "")
            progress.add(UInt64(words[1]) ?? 0, symptoms, faults, Int(words[2]) ?? 0, standstills)
            symptoms = []
            current = nil
        default: break
        }
    }
}

/// The batch so far, from all workers, with a line that tells of it: on a terminal several times a second, else now and
/// then.
final class BatchProgress: Sendable {
    private let state: Mutex<State>
    private let began: ContinuousClock.Instant

    private struct State {
        var batch = SeedBatch()
        var lostWorkers = 0
        var said: ContinuousClock.Instant
    }

    init(began: ContinuousClock.Instant) {
        self.began = began
        state = Mutex(State(said: began))
    }

    var batch: SeedBatch { state.withLock { $0.batch } }
    var lostWorkers: Int { state.withLock { $0.lostWorkers } }

    /// A worker is gone and no seed is to blame: the batch has fewer seeds than it should.
    func noteLostWorker(_ text: String) {
        state.withLock { $0.lostWorkers += 1 }
        Program.write(text, to: .standardError)
    }

    func add(_ seed: UInt64, _ symptoms: [String], _ faults: FaultTable, _ events: Int, _ standstills: Standstills) {
        let isTerminal = isatty(STDERR_FILENO) == 1
        state.withLock { state in
            state.batch.add(seed: seed, symptoms: symptoms, faults: faults, events: events, standstills: standstills)
            if !symptoms.isEmpty {
                Program.write("failed seed \(seed): \(symptoms[0].prefix(160))", to: .standardError)
            }
            let now = ContinuousClock.now
            guard now - state.said >= (isTerminal ? .milliseconds(200) : .seconds(30)) else { return }
            state.said = now
            let seconds = Int((now - began) / .seconds(1))
            let text = "\(state.batch.runs) seeds, \(state.batch.failures.count) failed, \(seconds) s"
            FileHandle.standardError.write(Data((isTerminal ? "\r\(text) " : "\(text)\n").utf8))
        }
    }
}
