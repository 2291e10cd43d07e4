import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import Testing

@Suite("Fenced transactions: R3")
struct FencingRulesTests {
    @Test("R3: every transaction carries the exchange offset of each task that wrote, changed or not")
    func everyTransactionIsFenced() throws {
        let application = SimulatedApplication(partitions: 2)
        let members = try [application.join("a"), application.join("b")]
        application.append(200)
        try application.expectExactlyOnce()
        var checked = 0
        for member in members {
            var writers: Set<Partition> = []
            for call in member.ports.calls {
                switch call.name {
                case "produce":
                    let place = call.partitions[0]
                    if place.topic == "app.state" { writers.insert(place.partition) }
                case "sendOffsets":
                    let fenced = call.partitions.filter { $0.topic == "app.exchange" }.map(\.partition)
                    #expect(writers.isSubset(of: fenced))
                    checked += writers.count
                    writers = []
                default: break
                }
            }
        }
        #expect(checked > 4)
    }

    @Test("R3: a transaction in which tasks only sent messages is fenced as well")
    func messagesAreFenced() throws {
        let application = SimulatedApplication(partitions: 2, topology: BellProcessor.topology)
        let members = try [application.join("a"), application.join("b")]
        try application.run(until: { application.cluster.records("rung").count >= 4 })
        #expect(application.cluster.records("rung").count >= 4)
        for member in members {
            let sent = member.ports.calls("sendOffsets")
            #expect(sent.count > 2)
            #expect(sent.allSatisfy { call in call.partitions.contains { $0.topic == "app.exchange" } }, "\(sent)")
        }
    }

    @Test("R3: what a member writes after its tasks have moved is refused")
    func zombie() throws {
        let application = SimulatedApplication()
        let first = try application.join("a")
        application.append(100)
        try application.expectExactlyOnce()
        let second = try application.join("b")
        try application.runUntilAllRun()
        // Its session has timed out, its next poll is yet to tell it.
        application.append(100)
        try application.round()
        application.cluster.expel(clientId: first.clientId)
        try application.run(until: { first.events.has("lost") || first.events.has("aborted") })
        #expect(first.events.has("lost") || application.cluster.counters.staleOffsets > 0)
        try application.expectExactlyOnce()
        #expect(second.events.has("assigned"))
    }

    @Test("R3: metadata without member id or generation is never used: the transaction is aborted")
    func noMetadata() throws {
        let application = SimulatedApplication()
        let member = try application.join("a")
        try application.runUntilAllRun()
        try application.run(rounds: 10)
        member.ports.forgetCalls()
        member.ports.withholdsMetadata = true
        application.append(40)
        try application.run(rounds: 20)
        #expect(member.events.has("aborted"))
        #expect(member.ports.calls("sendOffsets").isEmpty && member.ports.calls("commit").isEmpty)
        #expect(application.audit.appliedCount == 0)
        member.ports.withholdsMetadata = false
        try application.expectExactlyOnce()
    }
}
