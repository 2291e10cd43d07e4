import RecordLog
import Simulation
import Synchronization
import Testing

@Suite("Calls that take time")
struct SlowCallTests {
    let stage = Stage()
    var cluster: MemoryCluster { stage.cluster }
    var place: TopicPartition { stage.place }

    @Test("a slow call does its work after its time, which is at most its time-out")
    func slow() throws {
        let reader = try cluster.reader()
        for (length, taken) in [(Duration.seconds(2), 2000), (.seconds(60), 5000)] {
            cluster.plan(.order(.slowCall, length))
            let watermarks = { _ = try reader.watermarks(of: place, timeout: .seconds(5)) }
            #expect(cluster.timed(watermarks) == "done after \(taken) ms")
        }
        #expect(cluster.count(.slowCall) == 2)
    }

    @Test("a lost request takes the whole time-out and does nothing; a lost answer takes it and has done its work")
    func lost() throws {
        let admin = try cluster.makeAdmin()
        let topic = NewTopic(name: "new", partitions: 1)
        let create = { try admin.createTopic(topic, timeout: .seconds(5)) }
        cluster.plan(.order(.lostRequest), .order(.lostAnswer))
        #expect(cluster.timed(create) == "_TIMED_OUT after 5000 ms")
        #expect(cluster.identity(of: "new") == nil)
        #expect(cluster.timed(create) == "_TIMED_OUT after 5000 ms")
        #expect(cluster.identity(of: "new") != nil)
        #expect(outcome(create) == "TOPIC_ALREADY_EXISTS")
    }

    @Test("a call without a reachable broker fails at once and may be repeated")
    func unreachable() throws {
        let producer = try stage.open()
        try producer.produce("t", 0, "a")
        cluster.plan(.order(.unreachable))
        #expect(cluster.timed { try producer.commit() } == "retriable _TRANSPORT after 0 ms")
        try producer.commit()
        #expect(cluster.contents("t") == ["0/0=a"])
    }

    @Test("a fetch without an answer is silent, and a seek without one moves nothing")
    func silent() throws {
        cluster.append("t", 0, key: "k", value: "a")
        let reader = try cluster.reader()
        try reader.assign("t", 0)
        #expect(reader.poll().records == ["0/0=a"])
        cluster.plan(.order(.lostRequest, at: .log(.seek)), .order(.lostRequest, at: .log(.poll)))
        #expect(try reader.seek([(place, 0)], timeout: .seconds(5)) == [place])
        var lost: Polled?
        #expect(cluster.timed { lost = reader.poll() } == "done after 1000 ms")
        #expect(lost == Polled(records: [], ends: [], failures: [], rebalanced: false))
        #expect(reader.poll() == Polled(records: [], ends: [], failures: [], rebalanced: false))
    }

    @Test("while a call takes its time, others may run")
    func others() throws {
        let slow = try cluster.reader()
        let calls = Mutex(0)
        cluster.passes { [cluster, clock = stage.clock] duration in
            clock.advance(by: duration / 2)
            cluster.append("t", 0, key: "k", value: "meanwhile")
            clock.advance(by: duration - duration / 2)
            calls.withLock { $0 += 1 }
        }
        cluster.plan(.order(.slowCall, .seconds(2)))
        #expect(try slow.watermarks(of: place, timeout: .seconds(5)).high == 1, "it was read afterwards")
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("a call that needs stable offsets waits for them, at most its time-out")
    func stableOffsets() throws {
        let member = try Member(cluster, "m")
        member.consumer.poll()
        let producer = try stage.open()
        try producer.sendOffset(place, 5, member.consumer.groupMetadata())
        var next: Offset?
        func ask() throws { next = try member.consumer.committed([place], timeout: .milliseconds(300))[place]?.next }
        #expect(cluster.timed(ask) == "_TIMED_OUT after 300 ms")
        cluster.plan(.order(.lateMarkers, .milliseconds(200)))
        try producer.commit()
        // The marker of the offsets of this transaction comes halfway, before the others.
        #expect(cluster.timed(ask) == "done after 100 ms")
        #expect(next == 5)
        #expect(cluster.openTransactions == ["id"], "its records are not stable yet")
    }

    @Test("a poll that finds nothing takes its time-out if the cluster's polls wait")
    func polls() throws {
        for waits in [true, false] {
            let stage = Stage { $0.pollsWait = waits }
            let reader = try stage.cluster.reader()
            try reader.assign("t", 0)
            #expect(reader.poll().ends == ["0/0"])
            #expect(stage.cluster.timed { reader.poll() } == "done after \(waits ? 1000 : 0) ms")
        }
    }

    @Test("a producer waits for room in its queue for half a second, and the same call may be repeated")
    func queue() throws {
        let producer = try stage.open()
        cluster.plan(
            .order(.slowCall, .milliseconds(300), at: .transactional(.produce)),
            .order(.slowCall, .seconds(60), at: .transactional(.produce)))
        #expect(cluster.timed { try producer.produce("t", 0, "a") } == "done after 300 ms")
        #expect(cluster.timed { try producer.produce("t", 0, "b") } == "retriable _QUEUE_FULL after 500 ms")
        #expect(cluster.timed { try producer.produce("t", 0, "b") } == "done after 0 ms")
        #expect(cluster.contents("t", .readUncommitted) == ["0/0=a", "0/1=b"])
    }
}
