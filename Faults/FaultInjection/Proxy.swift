import Foundation
import Glibc
import Synchronization

/// The network between one client and the brokers: each of its ports hands connections on to a broker's port.
///
/// It passes bytes as they are. One thread does all of it until `close()`.
package final class Proxy: Sendable {
    package enum Mode: Sendable, Equatable {
        case pass
        /// Each byte arrives so many seconds after it was sent.
        case delay(Double)
        /// Nothing passes and nothing is closed, as when packets are lost on the way.
        case silence
        /// All connections are closed, and new ones at once.
        case cut
    }

    private let state = Mutex((mode: Mode.pass, taken: Mode.pass, isClosed: false))
    private let wakeReader: Int32
    private let wakeWriter: Int32

    /// - Parameter doors: the port to listen on, and the broker's port behind it.
    package init(_ doors: [(proxy: UInt16, broker: UInt16)]) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw ChaosError("no pipe for a proxy") }
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        (wakeReader, wakeWriter) = (ends[0], ends[1])
        let listeners = try doors.map { try Self.listen(on: $0.proxy) }
        let brokers = doors.map(\.broker)
        Thread { [self] in
            var pump = ProxyPump(listeners: listeners, brokers: brokers, wake: wakeReader)
            while true {
                let (mode, isClosed) = state.withLock { state in
                    state.taken = state.mode
                    return (state.mode, state.isClosed)
                }
                if isClosed { break }
                pump.step(mode)
            }
            pump.closeAll()
            for listener in listeners { Glibc.close(listener) }
        }.start()
    }

    package func set(_ mode: Mode) {
        state.withLock { $0.mode = mode }
        var byte: UInt8 = 0
        _ = write(wakeWriter, &byte, 1)
    }

    /// True once what was set last holds: what is sent from then on meets it.
    package var isInMode: Bool { state.withLock { $0.taken == $0.mode } }

    package func close() {
        state.withLock { $0.isClosed = true }
        set(.pass)
    }

    private static func listen(on port: UInt16) throws -> Int32 {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard withAddress(port, { bind(socket, $0, $1) }) == 0, Glibc.listen(socket, 64) == 0 else {
            throw ChaosError("a proxy cannot listen on 127.0.0.1:\(port)")
        }
        return socket
    }
}

/// The connections of a proxy; used by its thread alone.
struct ProxyPump {
    private let listeners: [Int32]
    private let brokers: [UInt16]
    private let wake: Int32
    private var connections: [Connection] = []
    private var buffer = [UInt8](repeating: 0, count: 65536)

    init(listeners: [Int32], brokers: [UInt16], wake: Int32) {
        self.listeners = listeners
        self.brokers = brokers
        self.wake = wake
    }

    /// Waits until something can be done, for a fifth of a second at most, and does it.
    mutating func step(_ mode: Proxy.Mode) {
        if mode == .cut { closeAll() }
        let isSilent = mode == .silence
        let now = monotonicSeconds()
        var wanted = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
        if !isSilent {
            wanted += listeners.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            for connection in connections { wanted += connection.wanted(now) }
        }
        poll(&wanted, nfds_t(wanted.count), waitMilliseconds(now))
        if wanted[0].revents != 0 { while read(wake, &buffer, buffer.count) > 0 {} }
        guard !isSilent else { return }

        let first = 1 + listeners.count
        for index in connections.indices {
            connections[index].work(
                wanted[first + 2 * index].revents, wanted[first + 2 * index + 1].revents, mode: mode, &buffer)
        }
        connections.removeAll { $0.closeIfDone() }
        for (index, listener) in listeners.enumerated() where wanted[1 + index].revents != 0 {
            accept(from: listener, broker: brokers[index], mode)
        }
    }

    /// Until the first delayed bytes are due.
    private func waitMilliseconds(_ now: Double) -> Int32 {
        let due = connections.compactMap(\.due).filter { $0 > now }.min() ?? .infinity
        return Int32(max(1, min(200, (due - now) * 1000)))
    }

    private mutating func accept(from listener: Int32, broker: UInt16, _ mode: Proxy.Mode) {
        let client = Glibc.accept(listener, nil, nil)
        guard client >= 0 else { return }
        _ = fcntl(client, F_SETFL, O_NONBLOCK)
        guard mode != .cut else {
            Glibc.close(client)
            return
        }
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        let status = withAddress(broker) { connect(server, $0, $1) }
        guard status == 0 || errno == EINPROGRESS else {
            Glibc.close(client)
            Glibc.close(server)
            return
        }
        var yes: Int32 = 1
        for end in [client, server] {
            setsockopt(end, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        }
        connections.append(Connection(client: client, server: server))
    }

    mutating func closeAll() {
        for connection in connections { connection.close() }
        connections = []
    }

    private struct Connection {
        let client: Int32
        let server: Int32
        var toServer = Lane()
        var toClient = Lane()

        init(client: Int32, server: Int32) {
            self.client = client
            self.server = server
        }

        func wanted(_ now: Double) -> [pollfd] {
            [
                pollfd(fd: client, events: toServer.wantsToRead | toClient.wantsToWrite(now), revents: 0),
                pollfd(fd: server, events: toClient.wantsToRead | toServer.wantsToWrite(now), revents: 0),
            ]
        }

        var due: Double? { [toServer.due, toClient.due].compactMap { $0 }.min() }

        mutating func work(_ client: Int16, _ server: Int16, mode: Proxy.Mode, _ buffer: inout [UInt8]) {
            let now = monotonicSeconds()
            var delay = 0.0
            if case .delay(let seconds) = mode { delay = seconds }
            if client & Int16(POLLIN | POLLHUP | POLLERR) != 0 {
                toServer.read(self.client, arrival: now + delay, &buffer)
            }
            if server & Int16(POLLIN | POLLHUP | POLLERR) != 0 {
                toClient.read(self.server, arrival: now + delay, &buffer)
            }
            if server & Int16(POLLOUT) != 0 || delay == 0 && server & Int16(POLLERR) == 0 {
                toServer.write(self.server, now)
            }
            if client & Int16(POLLOUT) != 0 || delay == 0 { toClient.write(self.client, now) }
        }

        /// An end of either side ends the connection, once what came before it has passed.
        func closeIfDone() -> Bool {
            guard toServer.isDone || toClient.isDone else { return false }
            close()
            return true
        }

        func close() {
            Glibc.close(client)
            Glibc.close(server)
        }
    }

    /// The bytes of one direction.
    private struct Lane {
        private var parts: [(arrival: Double, bytes: [UInt8])] = []
        private var count = 0
        private var hasEnded = false
        private var isBroken = false

        var isDone: Bool { isBroken || hasEnded && parts.isEmpty }
        var due: Double? { parts.first?.arrival }
        var wantsToRead: Int16 { count < 1 << 20 && !hasEnded ? Int16(POLLIN) : 0 }

        func wantsToWrite(_ now: Double) -> Int16 {
            if let due, due <= now { Int16(POLLOUT) } else { 0 }
        }

        mutating func read(_ socket: Int32, arrival: Double, _ buffer: inout [UInt8]) {
            guard !hasEnded, count < 1 << 20 else { return }
            let length = recv(socket, &buffer, buffer.count, 0)
            if length > 0 {
                parts.append((arrival, Array(buffer[..<length])))
                count += length
            } else if length == 0 || errno != EAGAIN && errno != EINTR {
                hasEnded = true
            }
        }

        mutating func write(_ socket: Int32, _ now: Double) {
            while let part = parts.first, part.arrival <= now {
                let length = send(socket, part.bytes, part.bytes.count, Int32(MSG_NOSIGNAL))
                guard length >= 0 else {
                    // ENOTCONN: the connection to the broker is still being made.
                    isBroken = ![EAGAIN, EINTR, ENOTCONN].contains(errno)
                    return
                }
                count -= length
                if length == part.bytes.count {
                    parts.removeFirst()
                } else {
                    parts[0].bytes.removeFirst(length)
                    return
                }
            }
        }
    }
}
