import Foundation
import Glibc
import Synchronization

/// A TCP server on the loopback that is no Kafka broker. It ends with the test that owns it.
final class NonsenseServer: Sendable {
    /// What it does with each connection.
    enum Manner: String, Sendable, CaseIterable {
        /// Sends bytes that are no answer, and closes.
        case garbage
        /// Answers as a web server does, and closes.
        case http
        /// Reads, and says nothing.
        case silent
    }

    let port: UInt16
    private let listener: Int32
    private let isClosed = Atomic<Bool>(false)
    private let count = Atomic<Int>(0)

    /// The number of connections that were made so far.
    var connections: Int { count.load(ordering: .relaxed) }

    init(_ manner: Manner) throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && listen(socket, 64) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard isBound else {
            let code = errno
            Glibc.close(socket)
            throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EADDRINUSE)
        }
        listener = socket
        port = UInt16(bigEndian: address.sin_port)
        Thread { [self] in accept(manner) }.start()
    }

    /// Ends the thread, which has a reference of its own until then.
    func close() {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func accept(_ manner: Manner) {
        var held: [Int32] = []
        while true {
            let connection = Glibc.accept(listener, nil, nil)
            guard connection >= 0 else { break }
            count.add(1, ordering: .relaxed)
            switch manner {
            case .silent: held.append(connection)
            case .garbage:
                answer(connection, [0x81] + (0..<1024).map { UInt8(truncatingIfNeeded: ($0 &* 37) ^ ($0 >> 3)) })
            case .http: answer(connection, Array("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".utf8))
            }
        }
        for connection in held { Glibc.close(connection) }
        Glibc.close(listener)
    }

    private func answer(_ connection: Int32, _ bytes: [UInt8]) {
        // What is not read would make the end of the connection a reset, which overtakes the answer.
        var request = [UInt8](repeating: 0, count: 4096)
        _ = recv(connection, &request, request.count, 0)
        _ = bytes.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        Glibc.close(connection)
    }
}
