import FaultInjection
import Testing

@Suite struct StandStillTests {
    private let processes = ["process-1", "process-2"]

    private func breach(
        until end: Double, judgedUntil: Double?? = .none, _ episodes: [FaultCounts.Episode] = []
    ) -> String? {
        let judged = if case .some(let given) = judgedUntil { given } else { Double?.some(end) }
        let stand = StandStill("timelines[3]", began: 100, ended: end, judgedUntil: judged)
        return JudgedStandStill(stand, processes: processes, episodes, session: 6, began: 90).breach
    }

    @Test func aSessionAndTwoSecondsAreAllowed() {
        #expect(breach(until: 108) == nil)
        #expect(
            breach(until: 108.5)
                == "readers of timelines[3] stood still for 8.5 s from 10.0 s on, more than 8.0 s")
    }

    @Test func outagesOfBrokersAreNotJudged() {
        #expect(breach(until: 120, judgedUntil: .some(nil)) == nil)
        #expect(breach(until: 120, judgedUntil: .some(107)) == nil)
        #expect(breach(until: 120, judgedUntil: .some(109)) != nil)
    }

    @Test func timeWithoutAWholeProcessIsAllowedAndNoMore() {
        let killed = FaultCounts.Episode(.processKill, "process-1", began: 100, ended: 102)
        #expect(breach(until: 108.5, [killed]) != nil, "the other one lives")
        let paused = FaultCounts.Episode(.processPause, "process-2", began: 99, ended: 103)
        // Nobody from 100 to 103: a process that was started at 102 looks at 104.
        #expect(breach(until: 110.9, [killed, paused]) == nil)
        let late = breach(until: 111.1, [killed, paused])
        #expect(late?.hasSuffix("and the 3.0 s in which no process was whole") == true)
        let slow = FaultCounts.Episode(.processDelay, "process-2", began: 99, ended: 120)
        #expect(breach(until: 108.5, [killed, slow]) != nil, "a process behind a slow network ends them")
        let sink = FaultCounts.Episode(.sinkKill, "sink", began: 99, ended: 120)
        #expect(breach(until: 108.5, [killed, sink]) != nil, "a sink ends no transactions")
    }
}
