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
        // strace counts the calls of each thread by itself.
        let lines = try String(contentsOfFile: notes, encoding: .utf8).split(separator: "\n")
        let calls = Dictionary(grouping: lines) { $0.prefix { $0 != " " } }.values.map(\.count).max() ?? 0
        try #require(calls > 0, "\(guarantee.scheme): it makes none of the calls \(names)")
        var hits = 0
        // The last calls may be those that give a lock up, which is up to five, so the commit is among those before.
        for kill in 0..<14 {
            try await feed.publish()
            let number = kill < 10 ? max(1, calls - kill) : 1 + Int(numbers.next() % UInt64(calls))
            let aim = ["-e", "inject=\(names):signal=SIGKILL:when=\(number)"]
            let result = try await start("--until-caught-up", under: tracer + aim).result()
            #expect(result.isSignalled || result.succeeded, "\(guarantee.scheme): \(result.failure)")
            if result.isSignalled { hits += 1 }
        }
        #expect(hits > 0, "\(guarantee.scheme): it was never killed at a call of \(names)")
        try await catchUp()
        try await expectNoneTwice()
        return hits
    }

    /// A target that has its connections and answers nothing for some seconds.
    mutating func waitsForASlowTarget() async throws {
        guard guarantee.slow != nil else { return }
        try await fault(lasting: .seconds(6), isTold: false, { try await $0.stall() }, { try await $0.goOn() })
    }

    /// An outage that lasts.
    mutating func outlasts(_ outage: Duration) async throws {
        guard guarantee.outage != nil else { return }
        try await fault(lasting: outage, isTold: true, { try await $0.takeAway() }, { try await $0.bringBack() })
    }

    /// No byte is left where the target keeps what it holds.
    mutating func waitsForRoom() async throws {
        guard guarantee.full != nil else { return }
        try await fault(lasting: .zero, isTold: true, { try await $0.fill() }, { try await $0.makeRoom() })
    }

    /// Lets something happen to the target in the middle of writing, which has to end well by itself.
    private mutating func fault(
        lasting duration: Duration, isTold: Bool, _ begin: (any TargetUnderTest) async throws -> Void,
        _ end: (any TargetUnderTest) async throws -> Void
    ) async throws {
        let before = try await target.progress()
        let sink = try start()
        try await feed.publish()
        try await expectProgress(from: before, of: sink)
        try await begin(target)
        try await feed.publish()
        if isTold {
            // What is written may fit into what is left.
            let isKnown = try await eventually(within: .seconds(60), every: .seconds(1)) {
                if sink.errorOutput.contains("trying again") { return true }
                try await feed.publish()
                return false
            }
            #expect(isKnown, "\(guarantee.scheme): it is not told\n\(sink.errorOutput)")
        }
        try await Task.sleep(for: duration)
        #expect(sink.isRunning, "\(guarantee.scheme): \(sink.errorOutput)")
        try await end(target)
        let back = try await target.progress()
        try await feed.publish()
        try await expectProgress(from: back, of: sink)
        sink.terminate()
        let result = await sink.result()
        #expect(result.succeeded, "\(guarantee.scheme): \(result.failure)")
        try await catchUp()
        try await expectNoneTwice()
    }
}
