import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import TestSupport
import Testing

@Suite("What the threads of an application share")
struct SharedPortsTests {
    private func handles(_ cluster: ObservedCluster, _ suffix: String) -> Int {
        cluster.calls("makeConsumer").count { $0.client.hasSuffix(suffix) }
    }

    @Test(
        "three threads restore and process with one restoring consumer and one admin, and lose nothing",
        .timeLimit(.minutes(10)), arguments: ClusterKind.allCases)
    func threeThreads(kind: ClusterKind) async throws {
        let application = try await kind.application(partitions: 6)
        try await application.append(300)
        var restored = 0
        for run in ["a", "b"] {
            let (cluster, events) = (ObservedCluster(application.cluster), EventLog())
            let names = (1...3).map { "\(run)\($0)" }
            let process = try application.start(names, on: cluster, events)
            let isComplete = try await application.eventuallyComplete(within: .seconds(180))
            #expect(isComplete, "\(process.failure as Any) \(events.texts.suffix(20))")
            // Every thread has a share of the tasks.
            let allRun = await eventually { process.statuses.allSatisfy { !$0.tasks.isEmpty } }
            #expect(allRun)
            process.requestStop()
            let hasEnded = try await onThread { process.wait(.seconds(120)) }
            #expect(hasEnded)
            #expect(process.failure == nil)
            restored += events.restoredRecords

            let prefix = "\(application.settings.applicationId)-\(names[0])"
            for suffix in ["-restore", "-offsets", "-claims"] {
                #expect(handles(cluster, suffix) == 1)
                #expect(handles(cluster, prefix + suffix) == 1)
            }
            #expect(cluster.calls("makeAdmin").count == 1)
            // Whatever was made is closed, once; some of it in the background.
            let made = cluster.calls("makeConsumer").map(\.client).sorted()
            _ = await eventually { !cluster.calls("closeAdmin").isEmpty }
            #expect(cluster.calls("close").map(\.client).sorted() == made)
            #expect(cluster.calls("closeAdmin").count == 1)
            try await application.append(300)
        }
        #expect(restored > 0, "The second run has begun with the state of the first.")
        let last = try application.start(["c1", "c2", "c3"], on: application.cluster, EventLog())
        #expect(try await application.eventuallyComplete(within: .seconds(180)))
        last.requestStop()
        let hasEnded = try await onThread { last.wait(.seconds(120)) }
        #expect(hasEnded)
        try await application.audit().expectExactlyOnce(inputs: application.inputs)
    }

    @Test("a thread alone has the client ids of its own name, and one admin")
    func alone() async throws {
        let application = try await ClusterKind.memory.application(partitions: 1)
        let cluster = ObservedCluster(application.cluster)
        let process = try application.start(["only"], on: cluster, EventLog())
        process.requestStop()
        let hasEnded = try await onThread { process.wait(.seconds(120)) }
        #expect(hasEnded)
        let id = "\(application.settings.applicationId)-only"
        let made = cluster.calls("makeConsumer").map(\.client).sorted()
        #expect(made == [id, "\(id)-claims", "\(id)-offsets", "\(id)-restore"])
        #expect(cluster.calls("makeAdmin").count == 1)
    }

    @Test("ports that cannot be made end the application before a thread begins")
    func notMade() async throws {
        let application = try await ClusterKind.memory.application(partitions: 1)
        let cluster = ObservedCluster(application.cluster)
        cluster.die(at: "makeConsumer")
        let process = try application.start(["a", "b"], on: cluster, EventLog())
        let hasEnded = try await onThread { process.wait(.seconds(120)) }
        #expect(hasEnded)
        #expect(process.isStopping)
        #expect(process.failure?.description.hasPrefix("a stream thread cannot start: ") == true)
    }

    @Test("who ends before the others gives its partitions back, and closes nothing; the last one closes all")
    func lastUser() throws {
        let memory = MemoryCluster()
        memory.createTopic("state", partitions: 2)
        memory.append("state", 1, key: "a", value: "1")
        let cluster = ObservedCluster(memory)
        let settings = StreamSettings(applicationId: "app", exchangeTopic: "exchange", stateTopic: "state")
        let ports = try SharedPorts(
            cluster, settings: settings, clientId: "app-a", users: 3, background: InlineBackground())
        let (first, second) = (ports.restorer.makeReader(), ports.restorer.makeReader())
        try first.incrementalAssign([(TopicPartition("state", 0), .earliest)])
        try second.incrementalAssign([(TopicPartition("state", 1), .earliest)])
        ports.release(first)
        // One that could not be made.
        ports.release(nil)
        #expect(cluster.calls("incrementalUnassign").map(\.partitions) == [[TopicPartition("state", 0)]])
        #expect(cluster.calls("close").isEmpty)
        #expect(cluster.calls("closeAdmin").isEmpty)
        var records = 0
        let arrivals = second.poll(maximum: 10, timeout: .zero) { _ in records += 1 }
        #expect(records == 1)
        #expect(arrivals.ends.map(\.partition) == [1])
        ports.release(second)
        let closed = cluster.calls("close").map(\.client)
        #expect(closed == ["app-a-restore", "app-a-offsets", "app-a-claims"])
        #expect(cluster.calls("closeAdmin").count == 1)
    }
}

extension EventLog {
    /// By all tasks that have begun to run.
    fileprivate var restoredRecords: Int {
        all.reduce(0) { sum, event in
            guard case .running(_, let count) = event else { return sum }
            return sum + count
        }
    }
}
