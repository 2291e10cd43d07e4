internal import CMicroHTTPD
import Glibc
import Synchronization

/// A socket that listens, and the number by which libmicrohttpd knows it.
///
/// libmicrohttpd closes the number that it got, also where it cannot start; it does so in most cases of these, and
/// does not say in which. So it gets one of its own: a number that is closed twice may be another thread's file.
final class ListeningSocket: Sendable {
    /// libmicrohttpd's, which closes it. The same socket as `descriptor`, until `close`.
    let lent: Int32
    let port: Int
    private let descriptor: Int32
    /// Takes the place of the socket in `lent`. Made at the start, since there may be no file to be had at the end.
    private let placeholder: Int32
    private let isClosed = Mutex(false)

    init(_ address: String, port: Int) throws(HTTPServerError) {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE | (address == "localhost" ? 0 : AI_NUMERICHOST) | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let name = address.hasPrefix("[") && address.hasSuffix("]") ? String(address.dropFirst().dropLast()) : address
        let place = "\(name.contains(":") ? "[\(name)]" : name):\(port)"
        guard (0...65_535).contains(port), getaddrinfo(name, String(port), &hints, &list) == 0, let list else {
            throw HTTPServerError(
                "\(place) is no address to listen on: a numeric address or localhost, and a port from 0 to 65535, are")
        }
        defer { freeaddrinfo(list) }
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(list.pointee.ai_family, type, 0)
        guard descriptor >= 0 else { throw Self.error(place) }
        var on: Int32 = 1
        // A server that starts anew does not wait for the connections of the one before.
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, list.pointee.ai_addr, list.pointee.ai_addrlen) == 0, listen(descriptor, 4096) == 0 else {
            let error = Self.error(place)
            Glibc.close(descriptor)
            throw error
        }
        placeholder = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        lent = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard placeholder >= 0, lent >= 0 else {
            let error = Self.error(place)
            for file in [descriptor, placeholder, lent] where file >= 0 { Glibc.close(file) }
            throw error
        }
        self.descriptor = descriptor
        self.port = Self.port(of: descriptor)
    }

    deinit {
        Glibc.close(placeholder)
        isClosed.withLock { if !$0 { Glibc.close(descriptor) } }
    }

    /// Listens no more, while `lent` stays a number that libmicrohttpd may use and close. At most once, and before
    /// libmicrohttpd has closed it.
    ///
    /// `MHD_quiesce_daemon` is not used: where one of the daemon's threads wakes up at that moment, both remove the
    /// socket from its epoll instance, and the second of the two ends the process (libmicrohttpd 0.9.75 and 1.0.1). A
    /// socket that nobody has open any more leaves all epoll instances by itself (epoll(7)).
    ///
    /// - Parameter replace: dup2(2), which puts the first file in the place of the second.
    func close(replacing replace: (Int32, Int32) -> Int32 = { dup2($0, $1) }) {
        isClosed.withLock { isClosed in
            precondition(!isClosed, "a socket is closed once")
            if Self.isReplaced(by: { replace(placeholder, lent) }) {
                _ = fcntl(lent, F_SETFD, FD_CLOEXEC)
            } else {
                // It stays open in `lent`, so it has to stop listening by itself.
                Glibc.shutdown(descriptor, Int32(SHUT_RDWR))
            }
            Glibc.close(descriptor)
            isClosed = true
        }
    }

    /// Tries again where a signal, or a file that another thread opens at that moment, came between.
    private static func isReplaced(by replace: () -> Int32) -> Bool {
        for _ in 0..<100 {
            errno = 0
            if replace() >= 0 { return true }
            if errno != EINTR && errno != EBUSY { return false }
        }
        return false
    }

    private static func error(_ place: String) -> HTTPServerError {
        HTTPServerError("the HTTP server cannot listen on \(place): \(String(cString: strerror(errno)))")
    }

    /// The port of a bound socket; it has the same place in both kinds of address.
    private static func port(of descriptor: Int32) -> Int {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &storage) { bytes in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                getsockname(descriptor, address, &length) == 0
            else { preconditionFailure("a bound socket has an address") }
            return Int(bytes[2]) << 8 | Int(bytes[3])
        }
    }
}

/// The number of files that the process may have open; each connection is one.
enum OpenFiles {
    /// What the rest of the program has open.
    private static let others = 512

    /// Raises the limit as far as the system allows. Where that is too little, lowers the connections and returns a
    /// sentence that says so.
    static func raise(for connections: inout Int) -> String? {
        let wanted = rlim_t(connections + Daemon.connectionsBeyondLimit + others)
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < wanted else {
            return nil
        }
        let old = limit.rlim_cur
        limit.rlim_cur = min(wanted, limit.rlim_max)
        if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 { limit.rlim_cur = old }
        guard limit.rlim_cur < wanted else { return nil }
        let asked = connections
        connections = max(16, Int(limit.rlim_cur) - Daemon.connectionsBeyondLimit - others)
        return """
            of \(asked) connections only \(connections) are possible at a time: the process may have \(limit.rlim_cur) \
            files open (ulimit -n), and needs \(wanted)
            """
    }
}
