import RecordLog
import StreamRuntime
import Testing

@Suite("The end of a run that ends when it has caught up")
struct FinishingTests {
    @Test("what was read last is committed at once, and then nothing more")
    func hurries() throws {
        let application = SimulatedApplication()
        // Longer than the test, which goes on for 25 ms at a time.
        application.settings.commitInterval = .seconds(9)
        application.settings.visibleCommitInterval = .zero
        // So many that what they make visible does not hurry either.
        application.append(1000)
        let ends = (0..<2).map { (TopicPartition(LedgerTopology.source, $0), Offset(500)) }
        let member = try application.join("a", targets: Dictionary(uniqueKeysWithValues: ends))
        let isDone = try application.run(until: { member.thread.status.isBroughtUp }, within: 60)
        #expect(isDone)
        #expect(application.audit.isComplete(inputs: application.inputs))
        let commits = member.events.count("committed")
        try application.run(rounds: 60)
        #expect(member.events.count("committed") == commits, "nothing was left to commit")
    }
}
