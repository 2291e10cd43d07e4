import HTTPServer
import Messages
import RecordLog
import Simulation
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("A request waits for what it wrote")
struct ViewWaiterTests {
    /// The outcome of a wait, once there is one.
    private final class Outcome: Sendable {
        private let outcomes = Mutex<[WaitOutcome]>([])

        func note(_ outcome: WaitOutcome) { outcomes.withLock { $0.append(outcome) } }

        var all: [WaitOutcome] { outcomes.withLock { $0 } }
    }

    private func wait(_ stage: ReadingStage, for id: String, from place: RecordPlace) -> Outcome {
        let outcome = Outcome()
        stage.context.waitForTimeline(id, from: place) { end, _ in outcome.note(end) }
        return outcome
    }

    private func place(_ offset: Int64, _ partition: Int32 = 1) -> RecordPlace {
        RecordPlace(topic: "widget.configurations", partition: Partition(partition), offset: Offset(offset))
    }

    @Test("a timeline that was made of the record, or of a later one, ends the wait; an earlier one does not")
    func sources() throws {
        let stage = try ReadingStage().start()
        stage.cluster.publish("a", sources: [place(4)])
        try stage.read()
        #expect(wait(stage, for: "a", from: place(3)).all == [.seen], "it is there already")
        let outcome = wait(stage, for: "a", from: place(5))
        let other = wait(stage, for: "a", from: place(5, 0))
        stage.cluster.publish("b", sources: [place(9)])
        stage.cluster.publish("a", revision: 2, sources: [place(4), RecordPlace(topic: "x", partition: 1, offset: 99)])
        try stage.read()
        #expect(outcome.all == [])
        stage.cluster.publish("a", revision: 2, sources: [place(7)])
        try stage.read()
        #expect(outcome.all == [.seen] && other.all == [])
        stage.context.waiters.tick(now: stage.clock.now + .seconds(10))
        #expect(other.all == [.timedOut] && outcome.all == [.seen])
        #expect(stage.context.waiters.count == 0)
    }

    @Test("where the pipeline makes nothing of a record, the wait ends once its group has passed it for a while")
    func unchanged() throws {
        let stage = try ReadingStage().start()
        let outcome = wait(stage, for: "a", from: place(5))
        let partition = TopicPartition("widget.configurations", 1)
        func passed(_ next: Int64) {
            stage.context.waiters.pipelineHasRead(
                to: [partition: Offset(next)], now: stage.clock.now, settle: stage.context.settings.settle)
            stage.context.waiters.tick(now: stage.clock.now)
        }
        passed(5)
        stage.clock.advance(by: .seconds(2))
        passed(5)
        #expect(outcome.all == [] && stage.context.waiters.places == [place(5)])
        passed(6)
        #expect(outcome.all == [] && stage.context.waiters.places == [])
        stage.clock.advance(by: .seconds(1))
        stage.context.waiters.tick(now: stage.clock.now)
        #expect(outcome.all == [.unchanged])
    }

    @Test("while the pipeline is far behind, that its group has passed the record ends no wait")
    func farBehind() throws {
        let stage = try ReadingStage { $0.farBehindRecords = 3 }.start()
        let telemetry = TopicPartition(stage.context.settings.topics.telemetry, 0)
        stage.cluster.createTopic(telemetry.topic, partitions: 1)
        for _ in 0..<4 { stage.cluster.append(telemetry.topic, 0, key: [1], value: [2]) }
        let admin = PositionedAdmin(try stage.cluster.makeAdmin())
        let (watch, rounds) = (ViewWatch(stage.context), ViewWatch.Rounds(admin))
        let outcome = wait(stage, for: "a", from: place(5))
        admin.commit(6, in: TopicPartition(place(5).topic, place(5).partition))
        for read: Offset in [1, 2] {
            #expect(outcome.all == [] && stage.context.waiters.places == [place(5)])
            admin.commit(read, in: telemetry)
            for _ in 0..<2 {
                stage.clock.advance(by: .seconds(1))
                rounds.step(watch)
                stage.context.waiters.tick(now: stage.clock.now)
            }
        }
        stage.clock.advance(by: stage.context.settings.settle)
        stage.context.waiters.tick(now: stage.clock.now)
        #expect(outcome.all == [.unchanged])
        rounds.close()
    }

    @Test("a deletion ends the wait by the tombstone; without a timeline before only the pipeline's position does")
    func deletion() throws {
        let stage = try ReadingStage().start()
        stage.cluster.publish("a")
        try stage.read()
        let (gone, never) = (Outcome(), Outcome())
        stage.context.waitForDeletion(of: "a", at: place(1)) { gone.note($0) }
        stage.context.waitForDeletion(of: "b", at: place(1)) { never.note($0) }
        #expect(gone.all == [] && never.all == [])
        stage.cluster.delete("a")
        try stage.read()
        #expect(gone.all == [.seen] && never.all == [])
    }

    @Test("the watch asks for the group's positions while somebody waits, and tells of the ACL that it lacks once")
    func watch() throws {
        let stage = try ReadingStage().start()
        let refused = LogError(.notAuthorised, name: "GROUP_AUTHORIZATION_FAILED", "group tideline: not authorized")
        let fault = stage.cluster.inject(refused, into: .committedOffsets, times: 3)
        try stage.look()
        #expect(stage.cluster.timesFired(fault) == 0, "nobody waits")
        let outcome = wait(stage, for: "a", from: place(5))
        for _ in 0..<3 { try stage.look() }
        #expect(stage.cluster.timesFired(fault) == 3 && outcome.all == [])
        let told = stage.notices.compactMap { if case .notAuthorised(let sentence) = $0 { sentence } else { nil } }
        #expect(told.count == 1 && told[0].contains("DESCRIBE on the group tideline"))
    }
}
