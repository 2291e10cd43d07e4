import FaultInjection
import Foundation
import TestSupport
import Testing

/// What is demanded under faults that are aimed, or that last.
extension SinkSuite {
    /// An older timeline that comes again after a newer one takes its place only where the topic alone decides.
    mutating func keepsTheNewest() async throws {
        let before = try await target.contents()
        try await feed.publishOlder()
        target.forgetOrder()
        if guarantee.older == .isLeftOut {
            let result = try await start("--until-caught-up").result()
            #expect(result.succeeded, "\(guarantee.scheme): \(result.failure)")
            #expect(try await target.contents() == before, "\(guarantee.scheme): an older timeline has won")
        } else {
            try await catchUp()
        }
        target.forgetOrder()
        try await feed.publish()
        try await catchUp()
    }

    /// `kill -9` at the very call by which something is written: after each of the last ones of a batch, among which is
    /// its commit, and at some before them.
    ///
    /// - Returns: how often it was killed there.
    mutating func survivesAtItsCalls() async throws -> Int {
        var hits = 0
        for calls in guarantee.calls { hits += try await survives(at: calls) }
        return hits
    }

    private mutating func survives(at names: String) async throws -> Int {
        let notes = TemporaryDirectory.make("calls").appending(path: "calls").path
        let tracer = ["/usr/bin/strace", "-f", "-qq", "-o", notes, "-e", "trace=\(names)"]
        try await feed.publish()
        let whole = try await start("--until-caught-up", under: tracer).result()
        try #require(whole.succeeded, "\(guarantee.scheme): \(whole.failure)")
        var calls = try Self.calls(in: notes)
        try #require(calls > 0, "\(guarantee.scheme): it makes none of the calls \(names)")
        var (aimedHits, hits) = (0, 0)
        // The last calls may be those that give a lock up, which is up to five, so the commit is among those before.
        for kill in 0..<14 {
            try await feed.publish()
            let number = kill < 10 ? max(1, calls - kill) : 1 + Int(numbers.next() % UInt64(calls))
            let aim = ["-e", "inject=\(names):signal=SIGKILL:when=\(number)"]
            let result = try await start("--until-caught-up", under: tracer + aim).result()
            #expect(result.isSignalled || result.succeeded, "\(guarantee.scheme): \(result.failure)")
            guard result.isSignalled else {
                // It made fewer calls than the one before, so the next aim goes by this one.
                calls = try max(1, Self.calls(in: notes))
                continue
            }
            hits += 1
            if kill < 10 { aimedHits += 1 }
        }
        // Requests share their calls among connections as they are answered; which call is the last is chance.
        let wanted = guarantee.writes == .exactlyOnce ? aimedHits : hits
        #expect(wanted > 0, "\(guarantee.scheme): it was never killed at the calls of \(names) that were aimed at")
        try await catchUp()
        try await expectNoneTwice()
        return hits
    }

    /// The most calls that a thread of the traced run has made: strace counts those of each thread by itself.
    private static func calls(in notes: String) throws -> Int {
        let lines = try String(contentsOfFile: notes, encoding: .utf8).split(separator: "\n")
        return Dictionary(grouping: lines) { $0.prefix { $0 != " " } }.values.map(\.count).max() ?? 0
    }

    /// A target that has its connections and answers nothing for some seconds.
    mutating func waitsForASlowTarget() async throws {
        guard guarantee.slow != nil else { return }
        try await target.prepare(for: .slow)
        try await fault(lasting: .seconds(6), told: nil, { try await $0.stall() }, { try await $0.goOn() })
    }

    /// An outage that lasts.
    mutating func outlasts(_ outage: Duration) async throws {
        guard guarantee.outage != nil else { return }
        try await fault(
            lasting: outage, told: "trying again", { try await $0.takeAway() }, { try await $0.bringBack() })
    }

    /// A target that answers as one does on which nothing is deployed is away. It is not taken at its word: what was to
    /// be removed is removed in the end.
    mutating func doubtsWhatIsNotThere() async throws {
        guard guarantee.isDenied else { return }
        let letters = try await application.records(of: "tideline.dead-letters").count
        let gone = Set(feed.ids.suffix(5))
        try await fault(
            lasting: .seconds(2), told: "tried again until one is taken", gone: gone, { try await $0.deny() },
            { try await $0.admit() })
        #expect(try await application.records(of: "tideline.dead-letters").count == letters)
        try await feed.publish()
        try await catchUp()
    }

    /// No byte is left where the target keeps what it holds.
    mutating func waitsForRoom() async throws {
        guard guarantee.full != nil else { return }
        try await target.prepare(for: .full)
        try await fault(
            lasting: .zero, told: "trying again", { try await $0.fill() }, { try await $0.makeRoom() })
    }

    /// Lets something happen to the target in the middle of writing, which has to end well by itself.
    ///
    /// - Parameters:
    ///   - words: stand in what the sink says of it; nil if it need not say anything.
    ///   - gone: these are written as tombstones from then on.
    private mutating func fault(
        lasting duration: Duration, told words: String?, gone: Set<String> = [],
        _ begin: (any TargetUnderTest) async throws -> Void, _ end: (any TargetUnderTest) async throws -> Void
    ) async throws {
        let before = try await target.progress()
        let sink = try start()
        try await feed.publish()
        try await expectProgress(from: before, of: sink)
        try await begin(target)
        try await feed.publish(gone: gone)
        if let words {
            // What is written may fit into what is left.
            let isKnown = try await eventually(within: .seconds(60), every: .seconds(1)) {
                if sink.errorOutput.contains(words) { return true }
                try await feed.publish(gone: gone)
                return false
            }
            #expect(isKnown, "\(guarantee.scheme): it is not told\n\(sink.errorOutput)")
        }
        try await Task.sleep(for: duration)
        #expect(sink.isRunning, "\(guarantee.scheme): \(sink.errorOutput)")
        try await end(target)
        let back = try await target.progress()
        try await feed.publish(gone: gone)
        try await expectProgress(from: back, of: sink)
        try await expectAll(soonBy: sink)
        sink.terminate()
        let result = await sink.result()
        #expect(result.succeeded, "\(guarantee.scheme): \(result.failure)")
        try await catchUp()
        try await expectNoneTwice()
    }
}
