import RecordLog
import Simulation
import Testing

@testable import StreamRuntime

/// What counts as progress of a stream thread, for its process's health file.
@Suite struct StreamProgressTests {
    private typealias Observation = StreamProgress.Observation

    /// When the thread last got on, after it was looked at each second.
    private static func last(_ seconds: ClosedRange<Int>, _ seen: (Int) -> Observation) -> Duration? {
        var progress = StreamProgress()
        for second in seconds { progress.observe(seen(second)) }
        return progress.last
    }

    @Test("who is idle gets on while the broker answers, and no longer")
    func idle() {
        let last = Self.last(0...60) { second in
            Observation(
                now: .seconds(second), lastAnswer: .seconds(min(second / 5 * 5, 20)), tasks: [0: .running, 1: .running])
        }
        #expect(last == .seconds(20))
        #expect(Self.last(1...9) { Observation(now: .seconds($0)) } == nil)
        #expect(Self.last(1...9) { Observation(now: .seconds($0), lastAnswer: .seconds(4)) } == .seconds(4))
    }

    @Test("an idle thread with a partition that gives nothing does not get on")
    func stalled() {
        let last = Self.last(0...60) { second in
            Observation(
                now: .seconds(second), isStalled: second >= 30, lastAnswer: .seconds(second), tasks: [0: .running])
        }
        #expect(last == .seconds(29))
    }

    @Test("where something waits to be committed, only a commit counts, whatever the broker answers")
    func waiting() {
        func last(commits: @escaping (Int) -> Int) -> Duration? {
            Self.last(0...60) { second in
                Observation(
                    now: .seconds(second), commits: commits(second), isUncommitted: second > 0,
                    lastAnswer: .seconds(second), tasks: [0: .running])
            }
        }
        #expect(last { _ in 0 } == .zero)
        #expect(last { min($0, 30) } == .seconds(30))
        #expect(last { $0 } == .seconds(60))
    }

    @Test("between transactions that all fail nothing waits, and that is no progress")
    func failing() {
        let last = Self.last(0...60) { second in
            Observation(
                now: .seconds(second), commits: min(second, 3), aborts: second / 4, lastAnswer: .seconds(second),
                tasks: [0: .running])
        }
        #expect(last == .seconds(3))
        // The last one failed, and there was nothing to read again.
        let over = Self.last(0...60) { second in
            Observation(
                now: .seconds(second), aborts: second < 20 ? 0 : 1, lastAnswer: .seconds(second), tasks: [0: .running])
        }
        #expect(over == .seconds(60))
    }

    @Test("taking over is progress while it advances, for as long as it takes")
    func restoring() {
        func last(_ step: @escaping (Int) -> StreamProgress.TaskStep) -> Duration? {
            Self.last(0...90) { second in
                Observation(
                    now: .seconds(second), lastAnswer: .seconds(second), tasks: [0: step(second), 1: .running])
            }
        }
        #expect(last { .restoring(Offset(Int64($0))) } == .seconds(90))
        #expect(last { .restoring(Offset(Int64(min($0, 40)))) } == .seconds(40))
        #expect(last { _ in .created } == .zero)
        #expect(last { $0 < 50 ? .created : .running } == .seconds(90))
        // A replaced producer has all read anew: that it was thrown back is none.
        #expect(last { $0 < 50 ? .restoring(Offset(Int64($0))) : .created } == .seconds(49))
    }

    @Test("a task that is given is progress; one that is lost is none, and leaves nothing to wait for")
    func assignment() {
        let lost = Self.last(0...60) { second in
            Observation(
                now: .seconds(second), isUncommitted: second < 45, lastAnswer: .seconds(10),
                tasks: second < 45 ? [0: .running] : [:])
        }
        #expect(lost == .seconds(10))
        let back = Self.last(0...60) { second in
            Observation(
                now: .seconds(second), isUncommitted: second < 45, lastAnswer: .seconds(second < 50 ? 10 : second),
                tasks: second < 45 ? [0: .running] : [:])
        }
        #expect(back == .seconds(60))
        let given = Self.last(0...60) { second in
            Observation(now: .seconds(second), tasks: second < 45 ? [0: .created] : [0: .created, 1: .created])
        }
        #expect(given == .seconds(45))
    }

    @Test("the slowest thread decides")
    func slowest() {
        var common = CommonProgress(threads: 2)
        func note(_ progress: Duration?, of thread: Int) -> Bool { common.note(progress, of: thread) }
        #expect(!note(.seconds(1), of: 0))
        #expect(!note(.seconds(2), of: 0))
        #expect(!note(nil, of: 1))
        #expect(note(.seconds(2), of: 1))
        for second in 3...9 { #expect(!note(.seconds(second), of: 0), "one alone") }
        #expect(!note(.seconds(2), of: 1))
        #expect(note(.seconds(9), of: 1))
        #expect(!note(.seconds(9), of: 0))
    }

    // MARK: - Of a thread

    private static let away = LogError(.unreachable, name: "_TRANSPORT", "ordered", isRetriable: true)

    @Test("an idle thread asks every five seconds whether the broker answers, and says once that it does not")
    func asking() throws {
        let application = SimulatedApplication()
        let member = try application.join("a")
        try application.runUntilAllRun()
        try application.run(rounds: 1_000)
        let idle = try #require(member.thread.lastProgress)
        #expect(application.now - idle <= .seconds(6))
        let fault = application.cluster.inject(Self.away, into: .endOffsets, times: 100)
        try application.run(rounds: 1_400)
        // Each five seconds this question, each two that for the outputs' stable ends.
        #expect((20...40).contains(application.cluster.timesFired(fault)))
        application.cluster.cancelFaults()
        let stale = try #require(member.thread.lastProgress)
        #expect(application.now - stale >= .seconds(30), "\(stale) of \(application.now)")
        let said = member.events.texts.count { $0.contains("asking whether the broker answers") }
        #expect(said == 1, "\(member.events.texts)")
        try application.run(rounds: 600)
        #expect(application.now - (try #require(member.thread.lastProgress)) <= .seconds(6))
    }

    @Test("a thread whose transactions fail gets on no longer, though its loop turns and the broker answers")
    func aborting() throws {
        let application = SimulatedApplication()
        let member = try application.join("a")
        try application.runUntilAllRun()
        application.append(20)
        try application.run(rounds: 20)
        let fault = application.cluster.inject(.abortable(Self.away), into: .commit, times: 100_000)
        application.append(20)
        let began = application.now
        try application.run(rounds: 1_600)
        #expect(application.cluster.timesFired(fault) > 10)
        let last = try #require(member.thread.lastProgress)
        #expect(last <= began + .seconds(1) && application.now - began >= .seconds(40), "\(last), began \(began)")
        application.cluster.cancelFaults()
        try application.expectExactlyOnce()
        #expect(try #require(member.thread.lastProgress) > began + .seconds(40))
    }
}

extension SimulatedApplication {
    fileprivate var now: Duration { .milliseconds(clock.now.milliseconds) }
}
