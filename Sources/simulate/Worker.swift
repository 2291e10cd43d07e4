import Foundation
import Glibc
import Seeds
import Synchronization

/// A process that runs seeds, and tells of each in lines that `Workers` reads:
///
///     begin SEED
///     symptom TEXT
///     standstills COUNT MILLISECONDS COUNT MILLISECONDS
///     end SEED EVENTS FAULT=COUNT …
struct Worker {
    let seeds: SeedRange
    let options: SeedOptions
    let seconds: Int?

    /// A seed that takes more processor time goes round for ever; one that takes so much longer waits for ever. On a
    /// busy machine a good seed may take minutes.
    private static let patience = (busy: Duration.seconds(30), elapsed: Duration.seconds(600))

    func run() -> Int32 {
        let watch = SeedWatch()
        watch.start(patience: Self.patience)
        let end = seconds.map { ContinuousClock.now + .seconds($0) }
        var seed = seeds.first
        while seed <= seeds.last {
            if let end, ContinuousClock.now >= end { return 0 }
            Program.write("begin \(seed)")
            watch.note()
            let verdict = SeedRun(seed: seed, options: options).run()
            let lines =
                verdict.symptoms.map { "symptom " + $0.description.replacing("\n", with: " ") }
                + ["standstills \(verdict.standstills.text)"]
                + ["end \(seed) \(verdict.events) \(verdict.faults.text)"]
            Program.write(lines.joined(separator: "\n"))
            let (next, isOver) = seed.addingReportingOverflow(seeds.step)
            if isOver { return 0 }
            seed = next
        }
        return 0
    }
}

/// Ends the process if a seed takes too long, or if the process that started it has gone.
final class SeedWatch: Sendable {
    private let began = Mutex((ContinuousClock.now, SeedWatch.processorTime))

    func note() { began.withLock { $0 = (.now, SeedWatch.processorTime) } }

    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    func start(patience: (busy: Duration, elapsed: Duration)) {
        let thread = Thread { [self] in
            let parent = getppid()
            while true {
                Thread.sleep(forTimeInterval: 1)
                let isLate = began.withLock {
                    ContinuousClock.now - $0.0 > patience.elapsed || SeedWatch.processorTime - $0.1 > patience.busy
                }
                if isLate || getppid() != parent { _exit(3) }
            }
        }
        thread.start()
    }
}

/// Where this program was built from.
enum Checkout {
    /// The commit that is checked out, with `-dirty` if files of it are changed; "not known" outside a checkout.
    static var commit: String {
        let git = Process()
        git.executableURL = URL(filePath: "/usr/bin/env")
        git.arguments = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
        let output = Pipe()
        git.standardOutput = output
        git.standardError = FileHandle.nullDevice
        do { try git.run() } catch { return "not known" }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        git.waitUntilExit()
        let commit = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return git.terminationStatus == 0 && !commit.isEmpty ? commit : "not known"
    }
}
