package import Foundation
import Glibc
import Synchronization
import TestSupport

/// One or three brokers, each with a listener for every client that has a `Proxy`, beside the open one.
///
/// The broker of a proxied listener advertises the proxy's port. So a client that begins at its proxies hears of no
/// other addresses, and the proxy has nothing to rewrite.
package final class BrokerCluster: Sendable {
    /// `HOST:PORT,…` of the open listeners.
    package let bootstrap: String
    package let nodes: [Node]

    package struct Node: Sendable {
        package let directory: URL
        let port: UInt16
        /// By client: the broker's own port, and the one it advertises.
        let doors: [(broker: UInt16, proxy: UInt16)]

        /// Its process; nil while it is down.
        package var processIdentifier: pid_t? {
            let text = try? String(contentsOf: directory.appending(path: "pid"), encoding: .utf8)
            return text.flatMap { pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        }
    }

    // MARK: - Starting

    /// Starts the brokers and returns when all answer; they end with this process at the latest.
    package init(brokers: Int, clients: Int, directory: URL) throws {
        let block = try PortBlock.free(brokers * (2 + 2 * clients))
        nodes = (0..<brokers).map { number in
            let first = block.first + UInt16(number * (2 + 2 * clients))
            return Node(
                directory: directory.appending(path: "broker-\(number + 1)"), port: first,
                doors: (0..<clients).map { (first + 2 + UInt16(2 * $0), first + 3 + UInt16(2 * $0)) })
        }
        bootstrap = nodes.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
        setenv("KAFKA_HEAP_OPTS", "-Xms192m -Xmx512m -XX:TieredStopAtLevel=4", 0)
        try atOnce(nodes.indices) { [self] number in
            let node = nodes[number]
            try FileManager.default.createDirectory(at: node.directory, withIntermediateDirectories: true)
            try endWithThisProcess(node.directory)
            _ = try script(["start", node.directory.path, String(node.port)] + properties(of: number))
        }
    }

    /// Of two settings with one key the later counts, so these replace those of Scripts/test-broker.
    private func properties(of number: Int) -> [String] {
        let node = nodes[number]
        let names = node.doors.indices.map { "CLIENT\($0)" }
        let listeners = zip(names, node.doors).map { "\($0)://127.0.0.1:\($1.broker)" }
        let advertised = zip(names, node.doors).map { "\($0)://127.0.0.1:\($1.proxy)" }
        let open = "PLAINTEXT://127.0.0.1:\(node.port)"
        let replication = nodes.count < 3 ? 1 : 3
        let voters = nodes.enumerated().map { "\($0 + 1)@127.0.0.1:\($1.port + 1)" }
        return [
            "node.id=\(number + 1)", "controller.quorum.voters=\(voters.joined(separator: ","))",
            "listeners=\((listeners + [open, "CONTROLLER://127.0.0.1:\(node.port + 1)"]).joined(separator: ","))",
            // The open one last: Scripts/test-broker waits for the port of a line that begins with it.
            "advertised.listeners=\((advertised + [open]).joined(separator: ","))",
            "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT"
                + names.map { ",\($0):PLAINTEXT" }.joined(),
            "default.replication.factor=\(replication)", "min.insync.replicas=\(max(1, replication - 1))",
            "offsets.topic.replication.factor=\(replication)",
            "transaction.state.log.replication.factor=\(replication)",
            "transaction.state.log.min.isr=\(max(1, replication - 1))",
            "share.coordinator.state.topic.replication.factor=\(replication)",
            "share.coordinator.state.topic.min.isr=\(max(1, replication - 1))",
            // A dead broker's partitions move after four seconds, so that a short run has many such moves.
            "broker.session.timeout.ms=4000", "broker.heartbeat.interval.ms=500",
        ]
    }

    // MARK: - Faults

    package func signal(_ number: Int, _ signal: Int32) {
        if let process = nodes[number].processIdentifier { Glibc.kill(process, signal) }
    }

    package func kill(_ numbers: some Sequence<Int>) throws {
        // Stopped first, so that all die at once.
        let numbers = Array(numbers)
        for number in numbers { signal(number, SIGKILL) }
        try atOnce(numbers) { [self] in _ = try script(["kill", nodes[$0].directory.path]) }
    }

    package func stop(_ number: Int) throws {
        _ = try script(["stop", nodes[number].directory.path])
    }

    package func restart(_ numbers: some Sequence<Int>) throws {
        try atOnce(Array(numbers)) { [self] in _ = try script(["restart", nodes[$0].directory.path]) }
    }
}

/// Does the work for each element on a thread of its own, and returns when all is done.
///
/// - Throws: the first error, when all is done.
func atOnce<Element: Sendable>(
    _ elements: some Collection<Element>, _ work: @escaping @Sendable (Element) throws -> Void
) throws {
    let done = DispatchSemaphore(value: 0)
    let failures = FailureBox()
    for element in elements {
        Thread {
            do { try work(element) } catch { failures.note(error) }
            done.signal()
        }.start()
    }
    for _ in elements { done.wait() }
    if let error = failures.error { throw error }
}

private final class FailureBox: Sendable {
    private let first = Mutex<(any Error)?>(nil)

    func note(_ error: any Error) { first.withLock { $0 = $0 ?? error } }
    var error: (any Error)? { first.withLock { $0 } }
}

/// Neighbouring ports of the loopback, below those that the kernel gives to outgoing connections: a broker that is
/// down for a while finds its port free when it comes back.
struct PortBlock {
    let first: UInt16

    static func free(_ count: Int) throws -> PortBlock {
        var numbers = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let first = UInt16.random(in: 15000...UInt16(31000 - count), using: &numbers)
            if (0..<UInt16(count)).allSatisfy({ isFree(first + $0) }) { return PortBlock(first: first) }
        }
        throw ChaosError("no \(count) neighbouring ports are free on 127.0.0.1")
    }

    private static func isFree(_ port: UInt16) -> Bool {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        return withAddress(port) { bind(socket, $0, $1) == 0 }
    }
}

/// Calls `body` with the address of a port of the loopback.
func withAddress<Result>(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
}
