import RecordLog
import Simulation
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("A server whose topics cannot be followed is not ready")
struct TopicHealthTests {
    /// An admin that answers if a topic may be read.
    private final class AskedAdmin: ForwardingAdmin {
        let base: any Admin
        private let allows = Mutex(false)

        init(_ base: any Admin) {
            self.base = base
        }

        func allow(_ allows: Bool) { self.allows.withLock { $0 = allows } }

        func check(_ permission: Permission, timeout: Duration) throws(LogError) {
            guard !allows.withLock({ $0 }) else { return }
            throw LogError(.notAuthorised, name: "TOPIC_AUTHORIZATION_FAILED", "not authorized")
        }
    }

    private func refused(_ topic: String) -> LogError {
        LogError(.notAuthorised, name: "TOPIC_AUTHORIZATION_FAILED", "\(topic): not authorized")
    }

    @Test("a topic that is gone is named until it is there again; what was read is served meanwhile")
    func gone() throws {
        let stage = try ReadingStage().start()
        stage.cluster.publish("a")
        try stage.read()
        stage.cluster.deleteTopic("timelines")
        try stage.look()
        #expect(try stage.get("/health/ready").status == 200, "a broker may not know it yet")
        for _ in 0..<2 {
            try stage.look()
            let answer = try stage.get("/health/ready")
            #expect(answer.status == 503)
            #expect(answer.text.contains("topic timelines is gone") && answer.text.contains("tideline topics"))
            #expect(try stage.get("/health/live").status == 200 && stage.get("/v1/timelines/a").status == 200)
        }
        let told = stage.notices.filter { if case .missing = $0 { true } else { false } }
        #expect(told.count == 1)
        stage.cluster.createTopic("timelines", partitions: 3)
        try stage.look()
        #expect(try stage.get("/health/ready").status == 200)
    }

    @Test("a topic that may not be read any more is named with the ACL, until it may be read again")
    func unreadable() throws {
        let stage = try ReadingStage().start()
        let admin = AskedAdmin(try stage.cluster.makeAdmin())
        let (watch, rounds) = (ViewWatch(stage.context), ViewWatch.Rounds(admin))
        rounds.step(watch)
        #expect(try stage.get("/health/ready").status == 200)
        stage.cluster.inject(refused("timeline.positions.merged[0]"), into: .poll)
        try stage.read()
        for allows in [false, false, true] {
            admin.allow(allows)
            stage.clock.advance(by: .seconds(2))
            rounds.step(watch)
            let answer = try stage.get("/health/ready")
            #expect(answer.status == (allows ? 200 : 503))
            if !allows {
                #expect(answer.text.contains("topic timeline.positions.merged:") && answer.text.contains("ACL"))
            }
        }
    }

    @Test("topics that may not be looked at any more are told once, and counted until they may be")
    func refusedLook() throws {
        let stage = try ReadingStage().start()
        stage.cluster.inject(refused("topic timelines"), into: .describeTopics, times: 2)
        for _ in 0..<2 {
            try stage.look()
            let answer = try stage.get("/health/ready")
            #expect(answer.status == 503 && answer.text.contains("topic timelines:"))
        }
        let told = stage.notices.filter { if case .notAuthorised = $0 { true } else { false } }
        #expect(told.count == 1)
        try stage.look()
        #expect(try stage.get("/health/ready").status == 200)
    }
}
