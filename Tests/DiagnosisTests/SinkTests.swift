import Diagnosis
import RecordLog
import Testing

@Suite("What follows from how sinks are")
struct SinkTests {
    private static func finding(
        _ state: SinkFacts.State, lag: Int64 = 0, error: String? = nil, target: String = "files:out"
    ) -> Finding {
        SinkFacts(
            name: "phones", target: target, state: state, lag: lag, lastError: error, words: "sink phones"
        ).finding { "tideline \($0) --bootstrap b:1" }
    }

    private static let start = "tideline sink phones --bootstrap b:1"

    @Test("one that runs is well however far it is behind, and its lag is told")
    func running() {
        #expect(Self.finding(.running).level == .good)
        let behind = Self.finding(.running, lag: 1_200)
        #expect(behind.level == .good && behind.text == "runs; 1,200 records not written or sent yet")
        #expect(behind.check == .sinks && behind.subject == "phones (files:out)" && behind.remedy.isEmpty)
    }

    @Test("one that has failed, or waits for its target, is bad, with its last error")
    func broken() {
        let failed = Self.finding(.failed, error: "no such folder")
        #expect(failed.level == .bad && failed.text == "has failed: no such folder; nothing waits")
        #expect(failed.remedy.hasSuffix(Self.start))
        let waiting = Self.finding(.waiting, lag: 1, error: "refused")
        #expect(waiting.level == .bad && waiting.remedy.hasSuffix(Self.start))
        #expect(
            waiting.text == "waits for its target or for brokers: refused; 1 record not written or sent yet")
    }

    @Test("one that is silent is bad while records wait, and the command that starts it stands alone")
    func silent() {
        #expect(Self.finding(.silent(.seconds(25))).level == .notice)
        let gone = Self.finding(.silent(.seconds(25)), lag: 34)
        #expect(gone.level == .bad && gone.remedy == Self.start)
        #expect(gone.text.hasPrefix("has told nothing for 25 s, "), "\(gone.text)")
    }

    @Test("one that has stopped while records wait, or has told nothing ever, is good to know")
    func stopped() {
        #expect(Self.finding(.stopped).level == .good)
        #expect(Self.finding(.stopped, lag: 2).level == .notice)
        #expect(Self.finding(.untold, target: "").level == .good)
        let untold = Self.finding(.untold, lag: 2, target: "")
        #expect(untold.level == .notice && untold.subject == "phones" && untold.remedy.hasSuffix(Self.start))
    }
}
