import FaultInjection
import Foundation
import Glibc
import TestSupport
import Testing

/// What passes between a client and a server that sends back what it gets, while the proxy does its worst.
@Suite(.serialized) struct ProxyTests {
    /// Makes an echo behind a proxy, and a connection to it.
    private func withConnection(_ body: (Int32, Proxy) throws -> Void) throws {
        let port = try freePortPair()
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(withAddress(port) { bind(server, $0, $1) } == 0 && listen(server, 4) == 0)
        Thread {
            var bytes = [UInt8](repeating: 0, count: 4096)
            while true {
                let peer = accept(server, nil, nil)
                guard peer >= 0 else { return }
                while true {
                    let count = recv(peer, &bytes, bytes.count, 0)
                    guard count > 0, send(peer, bytes, count, Int32(MSG_NOSIGNAL)) == count else { break }
                }
                close(peer)
            }
        }.start()
        let proxy = try Proxy([(proxy: port + 1, broker: port)])
        defer {
            proxy.close()
            shutdown(server, Int32(SHUT_RDWR))
            close(server)
        }
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(client) }
        try #require(withAddress(port + 1) { connect(client, $0, $1) } == 0)
        try body(client, proxy)
    }

    private func withAddress<Result>(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }

    private func say(_ text: String, to client: Int32) {
        #expect(send(client, text, text.utf8.count, Int32(MSG_NOSIGNAL)) == text.utf8.count)
    }

    /// What comes back in time: nil for nothing, an empty text for the end of the connection.
    private func answer(_ client: Int32, within milliseconds: Int = 10_000) -> String? {
        var timeout = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(client, &bytes, bytes.count, 0)
        if count < 0 && errno == EAGAIN { return nil }
        return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    }

    /// Returns once it holds.
    private func set(_ mode: Proxy.Mode, _ proxy: Proxy) {
        proxy.set(mode)
        for _ in 0..<60_000 where !proxy.isInMode { Thread.sleep(forTimeInterval: 0.001) }
        #expect(proxy.isInMode)
    }

    @Test func bytesPassAsTheyAre() throws {
        try withConnection { client, _ in
            say("one", to: client)
            #expect(answer(client) == "one")
        }
    }

    @Test func nothingPassesInSilenceAndAllOfItAfterwards() throws {
        try withConnection { client, proxy in
            say("one", to: client)
            #expect(answer(client) == "one")
            set(.silence, proxy)
            say("two", to: client)
            #expect(answer(client, within: 400) == nil)
            proxy.set(.pass)
            #expect(answer(client) == "two")
        }
    }

    @Test func aSlowNetworkDelaysBothWays() throws {
        try withConnection { client, proxy in
            set(.delay(0.1), proxy)
            let began = monotonicSeconds()
            say("one", to: client)
            #expect(answer(client) == "one")
            #expect(monotonicSeconds() - began >= 0.2)
        }
    }

    @Test func aCutClosesConnectionsAndRefusesNewOnesUntilItIsOver() throws {
        try withConnection { client, proxy in
            say("one", to: client)
            #expect(answer(client) == "one")
            proxy.set(.cut)
            #expect(answer(client) == "")
        }
    }
}
