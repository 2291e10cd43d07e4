import RecordLog
import StreamCore
import Testing

@testable import StreamRuntime

/// The values that a stream thread consists of, each by its own rules.
@Suite("The values of a stream thread")
struct ThreadValuesTests {
    private var settings = StreamSettings(applicationId: "a", exchangeTopic: "exchange", stateTopic: "state")

    @Test("what recurs is due after its interval, what has no beginning at once")
    func recurrence() {
        var begun = Recurrence(last: .seconds(1))
        #expect(
            [2, 6, 10, 11].map { begun.takeTurn(at: .seconds($0), every: .seconds(5)) } == [false, true, false, true])
        var new = Recurrence()
        #expect([0, 4].map { new.takeTurn(at: .seconds($0), every: .seconds(5)) } == [true, false])
    }

    @Test("a trim is done once for each time that it is asked for")
    func trims() {
        var schedule = ThreadSchedule(at: .zero)
        #expect([0, 2, 2, 3].map { schedule.takeTrim($0) } == [false, true, false, true])
    }

    @Test("commits follow faster where somebody waits for little, and slower in a backlog")
    mutating func pace() {
        settings.visibleCommitInterval = .milliseconds(5)
        var pace = CommitPace(at: .zero)
        let much = settings.farBehindRecords
        func interval(isFinishing: Bool = false, hasNews: Bool = true, unread: Int) -> Duration {
            pace.interval(settings, isFinishing: isFinishing, hasNews: hasNews, unread: unread)
        }
        #expect(interval(unread: much) == .milliseconds(5))
        #expect(interval(hasNews: false, unread: much) == settings.commitInterval)
        pace.note(records: settings.urgentRecordsMax)
        #expect(interval(unread: much) == settings.commitInterval)
        pace.note(records: settings.backlogRecords)
        #expect(interval(unread: much - 1) == settings.backlogCommitInterval)
        #expect(interval(unread: much) == settings.farBehindCommitInterval)
        #expect(
            interval(isFinishing: true, hasNews: false, unread: 0) == .milliseconds(5),
            "nothing is left to read")
        pace.begin(at: .seconds(3))
        #expect(pace.last == .seconds(3) && pace.records == 0)
    }

    @Test("a commit is urgent while a flush or many portions of timers are left over")
    func urgency() {
        var pace = CommitPace(at: .zero)
        pace.noteFlush(hasMore: true)
        pace.begin(at: .seconds(1))
        #expect(pace.isUrgent(settings, unread: 0), "what the flush left comes in the next transaction")
        pace.noteAbort()
        #expect(!pace.isUrgent(settings, unread: 0))
        for _ in 0..<settings.timerPortionsMax { pace.noteTimersLeft() }
        #expect(pace.isUrgent(settings, unread: 0))
        pace.begin(at: .seconds(2))
        #expect(!pace.isUrgent(settings, unread: 0))
    }

    @Test("far behind what a flush left over waits for more to be read, but after an abort")
    func farBehind() {
        var pace = CommitPace(at: .zero)
        pace.noteFlush(hasMore: true)
        pace.note(records: settings.backlogRecords)
        #expect(!pace.isUrgent(settings, unread: settings.farBehindRecords))
        #expect(pace.isUrgent(settings, unread: settings.farBehindRecords - 1))
        pace.noteAbort()
        pace.noteFlush(hasMore: true)
        #expect(pace.isUrgent(settings, unread: settings.farBehindRecords), "one that failed may have been too large")
        pace.noteCommit()
        #expect(!pace.isUrgent(settings, unread: settings.farBehindRecords))
    }

    @Test("transactions stay small for longer each time that a large one fails, until one is committed")
    func penalty() {
        var backlog = Backlog()
        func isFarBehind() -> Bool { backlog.isFarBehind(settings, records: 1 << 20, unread: 1 << 20) }
        for small in [1, 2, 4] {
            #expect(isFarBehind())
            _ = backlog.leavesPending(settings, isFarBehind: true, at: .zero)
            backlog.noteAbort()
            for _ in 0..<small {
                #expect(!isFarBehind())
                _ = backlog.leavesPending(settings, isFarBehind: false, at: .zero)
                backlog.noteCommit()
            }
        }
        _ = backlog.leavesPending(settings, isFarBehind: true, at: .zero)
        backlog.noteCommit()
        backlog.noteAbort()
        backlog.noteCommit()
        #expect(isFarBehind(), "a large one was committed since")
    }

    @Test("a first poll that brings little ends no backlog, a second transaction of little does")
    func littleRead() {
        var pace = CommitPace(at: .zero)
        pace.note(records: settings.backlogRecords)
        pace.begin(at: .seconds(1))
        let much = settings.farBehindRecords
        #expect(pace.isFarBehind(settings, unread: much) && !pace.isFarBehind(settings, unread: much - 1))
        pace.begin(at: .seconds(2))
        #expect(!pace.isFarBehind(settings, unread: much))
    }

    @Test("who is far behind is so until little is left; who has just taken over is so at once")
    func hysteresis() {
        var pace = CommitPace(at: .zero)
        let (much, little) = (settings.farBehindRecords, settings.backlogRecords)
        #expect(!pace.isFarBehind(settings, unread: much))
        pace.note(isCatchingUp: true)
        #expect(pace.isFarBehind(settings, unread: much) && !pace.isFarBehind(settings, unread: much - 1))
        _ = pace.leavesPending(settings, isFarBehind: true, at: .zero)
        #expect(pace.isFarBehind(settings, unread: little) && !pace.isFarBehind(settings, unread: little - 1))
        _ = pace.leavesPending(settings, isFarBehind: true, at: settings.farBehindPatience)
        #expect(!pace.isFarBehind(settings, unread: much - 1), "what waited for the patience is made")
    }

    @Test("a backlog ends when the last of what was left is made, and goes on ending after an abort")
    func endOfBacklog() {
        var pace = CommitPace(at: .zero)
        func leaves(_ isFarBehind: Bool) { _ = pace.leavesPending(settings, isFarBehind: isFarBehind, at: .zero) }
        leaves(false)
        #expect(!pace.endsBacklog)
        leaves(true)
        #expect(!pace.endsBacklog)
        for hasMore in [true, true, false] {
            leaves(false)
            #expect(pace.endsBacklog)
            pace.noteFlush(hasMore: hasMore)
            if hasMore { pace.begin(at: .zero) }
        }
        #expect(!pace.endsBacklog)
        pace.noteAbort()
        #expect(pace.endsBacklog, "what it made does not count")
        pace.noteFlush(hasMore: false)
        pace.begin(at: .zero)
        pace.noteAbort()
        #expect(!pace.endsBacklog)
    }

    @Test("far behind results wait in state for as long as the patience lasts, then once more")
    func patience() {
        var pace = CommitPace(at: .zero)
        let behind = [0, 2, 4, 5, 6, 8].map {
            pace.leavesPending(settings, isFarBehind: true, at: .seconds($0))
        }
        #expect(behind == [true, true, true, false, true, true])
        let caughtUp = pace.leavesPending(settings, isFarBehind: false, at: .seconds(9))
        let again = pace.leavesPending(settings, isFarBehind: true, at: .seconds(12))
        #expect(!caughtUp && again)
    }

    @Test("who was sent to through the exchange is known until the transaction ends, also after a hand-over")
    func outbox() {
        var outbox = ExchangeOutbox()
        let key: [UInt8] = [1]
        key.withUnsafeBytes { outbox.send([2, 3], key: $0, to: 1, through: "exchange") }
        outbox.noteHandOver()
        #expect(outbox.outputs.isEmpty && outbox.hasSent(to: 1) && !outbox.hasSent(to: 0))
        let receivers = outbox.takeReceivers()
        #expect(receivers == [1] && !outbox.hasSent)
        for byte in [4, 5] as [UInt8] { outbox.deliver(.envelope([byte]), to: 0) }
        outbox.trim()
        let waiting: [[UInt8]] = outbox.locals.indices.map { place in
            guard case .envelope(let bytes) = outbox.take(at: place).message else { return [] }
            return bytes
        }
        #expect(waiting == [[4], [5]], "what waits is not trimmed")
        outbox.noteDelivery()
        #expect(outbox.locals.isEmpty)
        outbox.deliver(.envelope([6]), to: 1)
        outbox.drop()
        #expect(outbox.locals.isEmpty)
    }

    @Test("barriers are asked for once in an iteration, and not while a question without an answer is recent")
    func barriers() {
        var questions = BarrierQuestions()
        #expect([0, 0].map { questions.begin(at: .seconds($0)) } == [true, false])
        questions.pause(until: .seconds(5))
        questions.beginIteration()
        #expect([4, 5, 6].map { questions.begin(at: .seconds($0)) } == [false, true, false])
    }

    @Test("failures count until a commit holds more than claims, refusals until they are long ago")
    func failures() {
        var tally = FailureTally()
        tally.excuse()
        tally.count()
        tally.count()
        tally.excuse()
        #expect(tally.inARow == 1)
        tally.forgive()
        #expect(tally.inARow == 0)
        var refusals = Refusals()
        let counts = [1, 2, 200, 201].map { refusals.countTransaction(at: .seconds($0), memory: .seconds(120)) }
        #expect(counts == [1, 2, 1, 2])
    }

    @Test("a refusal is told until it is over, and one of a transaction to a thread with tasks alone")
    func refusals() {
        let cause = LogError(.notAuthorised, name: "TRANSACTIONAL_ID_AUTHORIZATION_FAILED", "refused")
        var refusals = Refusals()
        #expect(!refusals.isPausing(at: .zero) && refusals.standing(hasTasks: true) == nil)
        refusals.pause(after: cause, of: .producer, until: .seconds(2))
        #expect(refusals.isPausing(at: .seconds(1)) && !refusals.isPausing(at: .seconds(2)))
        #expect(refusals.standing(hasTasks: false) == cause)
        refusals.forgiveProducer()
        #expect(refusals.standing(hasTasks: true) == nil)
        refusals.pause(after: cause, of: .transaction, until: .seconds(4))
        refusals.forgiveProducer()
        #expect(refusals.standing(hasTasks: true) == cause && refusals.standing(hasTasks: false) == nil)
        refusals.forgive()
        #expect(refusals.standing(hasTasks: true) == nil && refusals.count == 2)
    }

    @Test("the numbers of commits only rise")
    func numbers() {
        var numbers = CommitNumbers()
        numbers.pass(7)
        numbers.pass(3)
        let next = numbers.next()
        #expect(next == 8 && numbers.last == 8)
    }

    @Test("a task has every partition of its number, and those that come later")
    func layout() {
        let node = NodeName<Never>(0, "a")
        let sources = [Topology.Source(topic: "a", to: node), .init(topic: "b", to: node, isRead: false)]
        var layout = TaskLayout(exchange: "exchange", sources: sources, partitions: 2, counts: [3, 3])
        #expect(layout.sources(of: 0).map(\.1) == [.init("exchange", 0), .init("a", 0), .init("a", 2)])
        #expect(layout.added(to: 0, count: 3).isEmpty)
        let added = layout.added(to: 0, count: 5)
        #expect(added == [.init("a", 3), .init("a", 4)] && added.map(layout.task) == [1, 0])
        layout.grow(0, to: 5)
        #expect(layout.sources(of: 1).map(\.1) == [.init("exchange", 1), .init("a", 1), .init("a", 3)])
    }

    @Test("positions are looked at sooner after something odd, and compared when it was a record")
    func positionChecks() {
        var checks = PositionChecks(at: .zero)
        #expect(!checks.isDue(at: settings.positionCheckInterval, settings))
        #expect(checks.isDue(at: settings.maintenanceInterval, settings))
        checks.suspectEnds()
        #expect(checks.isDue(at: settings.positionCheckInterval, settings))
        checks.begin(at: .seconds(10))
        let first = checks.finishEnds(at: .seconds(10), comparing: .seconds(300))
        checks.suspectRecords()
        let later = [20, 21, 320].map { checks.finishEnds(at: .seconds($0), comparing: .seconds(300)) }
        #expect([first] + later == [false, true, false, true])
    }

    @Test("the same round is asked again after a while, another one at once")
    func rounds() {
        var rounds = TakeOverRounds()
        let serials = [rounds.nextSerial(), rounds.nextSerial()]
        #expect(serials == [1, 2])
        let asked: [(Set<Int>, Int)] = [([1], 1), ([1], 1), ([1, 2], 1), ([1, 2], 2)]
        let begun = asked.map { rounds.begin($0.0, at: .seconds($0.1), interval: .seconds(1)) }
        #expect(begun == [true, false, true, true])
        let places = [0, 0, 1].map { rounds.noteUnreadable(TopicPartition("exchange", $0)) }
        #expect(places == [true, false, true])
    }
    @Test("a commit's outcome is what a numbered claim of the same id says, and unknown without one")
    func outcome() {
        let commit = ThreadState.CommitInDoubt(
            number: 5, writers: [0, 1], released: [], isClaimAlone: false, hasAdvanced: true)
        func outcome(_ texts: String...) -> CommitOutcome {
            CommitOutcome(of: commit, by: "a-1", claims: texts.compactMap { Claim($0, prefix: "a-") })
        }
        #expect(outcome("a-1 4 open", "a-1 5 open") == .committed)
        #expect(outcome("a-1 4 open", "a-2 9 open") == .aborted)
        #expect(outcome("a-1", "a-2 9 open") == .unknown)
        #expect(outcome() == .unknown)
    }

    @Test("a restore has a rate after a second, is told of after an interval, and may be held up after a while")
    func restore() {
        var restore = ChangelogRestore(from: nil)
        #expect(restore.isEmpty && restore.next == 0 && restore.rate(at: .seconds(9)) == nil)
        restore.wait(from: .seconds(10))
        restore.begin(at: .seconds(10))
        for offset in 0..<100 { restore.note(Offset(Int64(offset))) }
        #expect(restore.next == 100 && restore.records == 100 && !restore.isEmpty)
        #expect(restore.rate(at: .milliseconds(10_500)) == nil && restore.rate(at: .seconds(12)) == 50)
        #expect(
            [19, 20, 21].map { restore.takeReport(at: .seconds($0), every: .seconds(10)) } == [false, true, false])
        #expect(restore.mayBeHeldUp(at: .seconds(11), patience: .seconds(1)))
        restore.noteFree()
        #expect(!restore.mayBeHeldUp(at: .seconds(99), patience: .seconds(1)))
    }

    @Test("a round of taking over that was slow leaves one turn, and no more before the next round")
    func turns() {
        var rounds = TakeOverRounds()
        func leaves(askedAt asked: Int, answeredAt answered: Int) -> [Bool] {
            _ = rounds.begin([asked], at: .milliseconds(asked), interval: .milliseconds(100))
            rounds.noteAnswer(at: .milliseconds(answered), interval: .milliseconds(100))
            return [rounds.leavesTurn(), rounds.leavesTurn()]
        }
        #expect(leaves(askedAt: 1_000, answeredAt: 1_050) == [false, false])
        #expect(leaves(askedAt: 2_000, answeredAt: 3_000) == [true, false])
    }
}
