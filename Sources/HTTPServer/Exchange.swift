internal import CMicroHTTPD
import Glibc
import Synchronization

/// A connection with the request that is on it: HTTP/1.1 has one at a time.
///
/// The connection's own thread alone uses the parts marked as unsafe; deadline and attachment are for all threads.
final class Exchange: Sendable {
    /// Valid while the connection's `completed` has not been called, or it is set aside.
    nonisolated(unsafe) let connection: OpaquePointer
    let socket: Int32
    let peer: PeerAddress
    /// The monotonic time after which the connection is closed or, while it waits for an answer, answered.
    private let deadline: Atomic<Int64>
    private let attachment = Mutex<Attachment?>(nil)

    nonisolated(unsafe) var stage = Stage.idle
    nonisolated(unsafe) var target = ""
    nonisolated(unsafe) var method = ""
    nonisolated(unsafe) var headers = HTTPHeaders()
    nonisolated(unsafe) var body: [UInt8] = []
    /// The bytes of a body that is read only to be thrown away.
    nonisolated(unsafe) var surplus = 0
    nonisolated(unsafe) var acceptsGzip = false
    /// The part of the server's `bodiesLimit` that this request has.
    nonisolated(unsafe) var bodyShare = 0

    enum Stage {
        case idle
        case head
        case body
        /// The response is there, and the body is read to its end first: a client that still sends reads nothing.
        case draining(HTTPResponse)
        case waiting
        case answering
    }

    /// The part of the program that holds the connection at the moment.
    enum Attachment {
        case answer(PendingAnswer)
        case stream(EventStream)
    }

    init(_ connection: OpaquePointer, deadline: Int64) {
        self.connection = connection
        socket = cmhd_socket(connection)
        peer = PeerAddress(cmhd_client_address(connection))
        self.deadline = Atomic(deadline)
    }

    func expires(at time: Int64) { deadline.store(time, ordering: .relaxed) }

    func isExpired(at now: Int64) -> Bool { deadline.load(ordering: .relaxed) < now }

    func attach(_ new: Attachment?) { attachment.withLock { $0 = new } }

    var attached: Attachment? { attachment.withLock { $0 } }

    /// Takes the attachment away.
    func detach() -> Attachment? { attachment.withLock { $0.take() } }

    /// Breaks the connection; its thread notices and closes it. Only for callers who know that the connection is open.
    func abort() {
        Glibc.shutdown(socket, Int32(SHUT_RDWR))
    }

    /// Forgets the request, for the next one on the connection.
    func reset(idleUntil time: Int64) {
        stage = .idle
        target = ""
        headers.removeAll()
        if body.capacity > 4096 { body = [] } else { body.removeAll(keepingCapacity: true) }
        surplus = 0
        bodyShare = 0
        expires(at: time)
    }
}

/// The address of a peer: its text, and the bits that one token bucket stands for.
struct PeerAddress: Sendable {
    let text: String
    let network: Network

    /// An IPv4 address, or the first 64 bits of an IPv6 address.
    struct Network: Hashable, Sendable {
        var isIPv6: Bool
        var bits: UInt64
    }

    init(_ address: UnsafePointer<sockaddr>?) {
        guard let address else {
            self.init(v4: [])
            return
        }
        let raw = UnsafeRawPointer(address)
        guard Int32(address.pointee.sa_family) == AF_INET6 else {
            self.init(v4: UnsafeRawBufferPointer(start: raw + 4, count: 4)[...])
            return
        }
        let bytes = Array(UnsafeRawBufferPointer(start: raw + 8, count: 16))
        // A peer over IPv4 on a socket for both (RFC 4291 section 2.5.5.2).
        guard !bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) else {
            self.init(v4: bytes[12...])
            return
        }
        self.init(
            text: Self.text(AF_INET6, raw + 8),
            network: Network(isIPv6: true, bits: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }))
    }

    init(text: String, network: Network) {
        self.text = text
        self.network = network
    }

    private init(v4 bytes: some Collection<UInt8>) {
        self.init(
            text: bytes.map { String($0) }.joined(separator: "."),
            network: Network(isIPv6: false, bits: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
    }

    private static func text(_ family: Int32, _ address: UnsafeRawPointer) -> String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, address, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
