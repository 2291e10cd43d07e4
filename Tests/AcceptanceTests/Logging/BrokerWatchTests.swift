import Foundation
import Observability
import RecordLog
import Synchronization
import Testing

@testable import tideline

/// One line when a broker goes and one when it is back, by librdkafka's own words. No broker.
@Suite struct BrokerWatchTests {
    private static let refused =
        "[thrd:127.0.0.1:9092/bootstrap]: 127.0.0.1:9092/1: Connect to ipv4#127.0.0.1:9092 failed: Connection refused "
        + "(after 0ms in state CONNECT)"
    private static let gone =
        "[thrd:TxnCoordinator]: TxnCoordinator: 127.0.0.1:9092: Disconnected (after 10707ms in state UP)"

    @Test("a broker that goes for half a minute makes two lines of dozens")
    func outage() {
        let world = BrokerWatchWorld()
        let watch = world.makeWatch()
        watch.log(level: 5, facility: "FAIL", message: Self.gone)
        for _ in 0..<20 { watch.log(level: 3, facility: "FAIL", message: Self.refused) }
        watch.log(level: 3, facility: "ERROR", message: "[thrd:127.0.0.1:9092/bootstrap]: 2/2 brokers are down")
        world.rounds.withLock {
            $0 = [
                { $0.pass(.milliseconds(500)) }, { $0.pass(.milliseconds(700)) },
                { world in
                    #expect(watch.awaySince == .seconds(100))
                    watch.log(level: 4, facility: "SESSTMOUT", message: "Consumer group session timed out")
                    #expect(watch.absorbs(LogError(.timedOut, name: "_TIMED_OUT", "Timed out")))
                    world.pass(.seconds(30))
                },
            ]
        }
        #expect(world.run())
        // Queued errors come once somebody asks for them.
        #expect(watch.absorbs(LogError(.unreachable, name: "_TRANSPORT", String(Self.refused.dropFirst(33)))))
        watch.log(level: 3, facility: "ERROR", message: "[thrd:app]: x#producer-1: " + Self.refused.dropFirst(33))
        _ = world.run()
        #expect(watch.awaySince == nil)
        #expect(
            world.lines.withLock { $0 } == [
                "warning  cannot reach broker: Connect to ipv4#127.0.0.1:9092 failed: Connection refused; trying until "
                    + "it answers broker=127.0.0.1:9092",
                "notice   broker answers again after 31 s awayMs=31200 broker=127.0.0.1:9092 withheldLines=24",
            ])
    }

    @Test("a connection that breaks while its broker answers is nothing to tell")
    func brokenConnection() {
        let world = BrokerWatchWorld()
        world.answering.withLock { $0 = ["127.0.0.1:9092"] }
        let watch = world.makeWatch()
        watch.log(level: 3, facility: "FAIL", message: Self.gone)
        #expect(world.run())
        #expect(world.lines.withLock { $0 }.isEmpty && watch.awaySince == nil)
        // The next one is looked at again.
        watch.log(level: 3, facility: "FAIL", message: Self.gone)
        #expect(world.run())
    }

    @Test("what has nothing to do with the connection is told as before, and all of it at debug")
    func others() {
        let world = BrokerWatchWorld()
        let watch = world.makeWatch()
        watch.log(level: 3, facility: "SSL", message: "certificate expired")
        watch.log(level: 4, facility: "MAXPOLL", message: "Application maximum poll interval exceeded")
        #expect(!watch.absorbs(LogError(.timedOut, name: "_TIMED_OUT", "Timed out")))
        #expect(!watch.absorbs(LogError(.fatal, name: "_FATAL", "fenced")))
        #expect(world.lines.withLock { $0.count } == 2)
        let loud = BrokerWatchWorld()
        let other = loud.makeWatch(level: .debug)
        other.log(level: 3, facility: "FAIL", message: Self.refused)
        #expect(loud.lines.withLock { $0.count } == 1)
    }

    @Test("a bootstrap host that never answers is told once, and is no outage where another host answers")
    func deadBootstrapHost() {
        let world = BrokerWatchWorld()
        world.answering.withLock { $0 = ["b:9092"] }
        world.cluster.withLock { $0.brokers = ["b:9092"] }
        let watch = world.makeWatch()
        let line = "[thrd:a:9092/bootstrap]: a:9092/bootstrap: Connect to ipv4#10.0.0.1:9092 failed: Connection refused"
        for _ in 0..<10 {
            watch.log(level: 3, facility: "FAIL", message: line)
            world.rounds.withLock { $0 = [{ $0.pass(.milliseconds(1100)) }] }
            _ = world.run()
            #expect(watch.awaySince == nil)
            world.pass(.seconds(40))
        }
        watch.log(level: 4, facility: "SESSTMOUT", message: "Consumer group session timed out")
        #expect(!watch.absorbs(LogError(.timedOut, name: "_TIMED_OUT", "Timed out")))
        #expect(
            world.lines.withLock { $0 } == [
                "warning  bootstrap host does not answer: Connect to ipv4#10.0.0.1:9092 failed: Connection refused; "
                    + "going on with the brokers that do awayMs=1100 broker=a:9092 withheldLines=1",
                "notice   librdkafka: Consumer group session timed out facility=SESSTMOUT",
            ])
    }

    @Test("a broker that left the cluster is forgotten, unless partitions are without leaders")
    func scaledIn() {
        let world = BrokerWatchWorld()
        world.answering.withLock { $0 = ["a:9092", "b:9092"] }
        let watch = world.makeWatch()
        watch.log(level: 3, facility: "FAIL", message: Self.refused)
        world.rounds.withLock {
            $0 = [
                { $0.pass(.seconds(2)) },
                { world in
                    #expect(watch.awaySince == .seconds(100))
                    world.cluster.withLock { $0 = .init(brokers: ["a:9092", "b:9092"], hasAllLeaders: false) }
                    world.pass(.seconds(2))
                },
                { world in
                    #expect(watch.awaySince == .seconds(100))
                    world.cluster.withLock { $0.hasAllLeaders = true }
                    world.pass(.seconds(2))
                },
                { _ in Issue.record("the watch goes on") },
            ]
        }
        #expect(world.run())
        #expect(watch.awaySince == nil)
        #expect(
            world.lines.withLock { $0 } == [
                "warning  cannot reach broker: Connect to ipv4#127.0.0.1:9092 failed: Connection refused; trying until "
                    + "it answers broker=127.0.0.1:9092",
                "notice   broker has left the cluster; going on with the others awayMs=6000 broker=127.0.0.1:9092 "
                    + "withheldLines=1",
            ])
    }

    @Test("while a broker is lost, and after, other brokers and other causes are told; all that is withheld is counted")
    func otherCauses() {
        let world = BrokerWatchWorld()
        let watch = world.makeWatch()
        let timeOut = "[thrd:x]: 127.0.0.1:9092/1: Timed out 1 in-flight, 0 retry-queued requests"
        let others = [
            (3, "AUTH", "[thrd:x]: 127.0.0.1:9092/1: SASL authentication error: wrong password"),
            (4, "REQTMOUT", "[thrd:x]: a:9092/2: Timed out 2 in-flight requests"),
            (4, "MAXPOLL", "Application maximum poll interval exceeded"), (0, "FATAL", "Fatal error: fenced"),
        ]
        let tellAll: @Sendable () -> Void = {
            watch.log(level: 4, facility: "REQTMOUT", message: timeOut)
            for (level, facility, message) in others {
                let before = world.lines.withLock { $0.count }
                watch.log(level: level, facility: facility, message: message)
                #expect(world.lines.withLock { $0.count } == before + 1, "\(facility)")
            }
        }
        // An idle connection that is closed is no part of the outage after it.
        world.answering.withLock { $0 = ["127.0.0.1:9092"] }
        watch.log(level: 6, facility: "FAIL", message: Self.gone)
        _ = world.run()
        world.answering.withLock { $0 = [] }
        watch.log(level: 3, facility: "FAIL", message: Self.refused)
        world.rounds.withLock {
            $0 = [
                { $0.pass(.seconds(2)) },
                { _ in
                    tellAll()
                    // librdkafka only supposes a refusal when a starting broker ends a connection.
                    let guess = "Disconnected: verify that the broker might require SASL authentication (after 1ms)"
                    watch.log(level: 3, facility: "FAIL", message: "[thrd:x]: 127.0.0.1:9092/1: \(guess)")
                    let refusal = "[thrd:x]: 127.0.0.1:9092/1: SASL authentication error: failed (after 5ms)"
                    for _ in 0..<3 { watch.log(level: 3, facility: "FAIL", message: refusal) }
                },
            ]
        }
        #expect(world.run())
        // One refused, one timed out, one supposed, three of authentication.
        #expect(world.lines.withLock { $0.last }?.hasSuffix("withheldLines=6") == true)
        #expect(world.lines.withLock { $0.count { $0.contains("cannot reach broker: SASL") } } == 1)
        // So that they are no repeats.
        world.pass(.seconds(6))
        tellAll()
        world.pass(.seconds(15))
        let before = world.lines.withLock { $0.count }
        watch.log(level: 4, facility: "REQTMOUT", message: timeOut)
        #expect(world.lines.withLock { $0.count } == before + 1)
        // The echo of the first outage is counted with the second.
        watch.log(level: 3, facility: "FAIL", message: Self.refused)
        world.answering.withLock { $0 = [] }
        world.rounds.withLock { $0 = [{ $0.pass(.seconds(2)) }] }
        #expect(world.run())
        #expect(world.lines.withLock { $0.last }?.hasSuffix("withheldLines=2") == true)
    }

    @Test("a producer's identity that is asked for again is no news")
    func producerIdentity() {
        let world = BrokerWatchWorld()
        let watch = world.makeWatch()
        let failed = "[thrd:main]: Failed to acquire transactional PID from broker TxnCoordinator/1: Broker: "
        watch.log(level: 4, facility: "GETPID", message: failed + "Coordinator load in progress: retrying")
        #expect(world.lines.withLock { $0 }.isEmpty)
        watch.log(level: 4, facility: "GETPID", message: failed + "Transactional Id authorization failed")
        #expect(world.lines.withLock { $0.count } == 1)
    }

    @Test("an error that names no broker makes those of the settings suspect")
    func nameless() {
        let world = BrokerWatchWorld()
        let watch = world.makeWatch(format: .json)
        #expect(watch.absorbs(LogError(.unreachable, name: "_ALL_BROKERS_DOWN", "2/2 brokers are down")))
        world.rounds.withLock { $0 = [{ $0.pass(.seconds(2)) }, { $0.pass(.seconds(2)) }] }
        #expect(world.run())
        let lines = world.lines.withLock { $0 }
        #expect(lines.count == 4, "\(lines)")
        #expect(lines.last?.contains(#""awayMs":4000,"broker":"b:9092""#) == true, "\(lines)")
    }

    @Test(
        "the broker is found in every line of librdkafka's",
        arguments: [
            (refused, "127.0.0.1:9092", "Connect to ipv4#127.0.0.1:9092 failed: Connection refused"),
            (gone, "127.0.0.1:9092", "Disconnected"),
            (
                "[thrd:sasl_ssl://k.example.com:9093/bootstrap]: sasl_ssl://k.example.com:9093/bootstrap: SASL "
                    + "authentication error: failed (after 5ms in state AUTH_REQ)", "k.example.com:9093",
                "SASL authentication error: failed"
            ),
            (
                "[thrd:kafka:9092/bootstrap]: kafka:9092/bootstrap: Failed to resolve 'kafka:9092': Name or service not"
                    + " known (after 3ms in state CONNECT)", "kafka:9092",
                "Failed to resolve 'kafka:9092': Name or service not known"
            ),
            (
                "[thrd:[::1]:9092/2]: [::1]:9092/2: Connect to ipv6#[::1]:9092 failed: No route", "[::1]:9092",
                "Connect to ipv6#[::1]:9092 failed: No route"
            ),
        ])
    func faults(line: String, address: String, reason: String) throws {
        let fault = try #require(BrokerFault(line))
        #expect(fault.address == address && fault.reason == reason, "\(fault)")
    }
}
