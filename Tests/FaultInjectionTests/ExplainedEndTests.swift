import Testing

@testable import FaultInjection

@Suite struct ExplainedEndTests {
    private let counts = FaultCounts()
    private static let noBroker = """
        12:00:00 INFO tideline: missing topics: widget.configurations.
        tideline: cannot look at the topics: no broker answered for PT30S (connect.timeout). metadata: failed
        """
    private static let noTopic = """
        tideline: missing topics: widget.configurations. To create them:
          tideline topics --bootstrap localhost:9092
        """

    private func explains(_ text: String, status: Int32? = 69, since start: Double = 0) -> Bool {
        counts.explain(status: status, text, of: "process-1", since: start)
    }

    @Test func brokersThatAreAwayExplainAStartWithoutThem() {
        #expect(!explains(Self.noBroker), "nothing happened")
        counts.during(.brokerKill, of: "brokers") {}
        #expect(explains(Self.noBroker))
        #expect(!explains(Self.noBroker, status: 70) && !explains(Self.noBroker, status: nil))
        #expect(!explains(Self.noTopic) && !explains("tideline: missing topics: timelines. To create them:"))
        #expect(!explains(Self.noBroker, since: .infinity), "it began when all was over")
    }

    @Test func theConnectionOfAnotherProgramExplainsNothing() {
        counts.during(.processCut, of: "process-2") {}
        counts.during(.processKill, of: "process-1") {}
        #expect(!explains(Self.noBroker))
        counts.during(.processSilence, of: "process-1") {}
        #expect(explains(Self.noBroker))
    }

    @Test func whoIsAskedToEndWhileItStartsMayHaveHeardOfNoBroker() {
        let asked = "tideline: cannot look at chaos.state: told to end while no broker answered (_TIMED_OUT)"
        counts.during(.processTerminate, of: "process-2") {}
        #expect(!explains(asked))
        counts.during(.processTerminate, of: "process-1") {}
        let now = counts.episodes[1].began
        #expect(explains(asked, since: now - 5) && !explains(Self.noBroker, since: now - 5))
        #expect(!explains(asked, since: now - 15), "it hung before")
    }

    @Test func onlyTheTopicThatAFaultMakesAnewMayBeMissing() {
        counts.during(.topicRecreated, of: "brokers") {}
        #expect(explains(Self.noTopic) && !explains(Self.noBroker))
        #expect(!explains(Self.noTopic.replacing("widget.configurations.", with: "widget.configurations, timelines.")))
    }
}
