internal import CEpoll
import Glibc

/// epoll(7): says which of many sockets have something to read.
final class Poller {
    private let descriptor = cepoll_create()
    private var indexes = [UInt64](repeating: 0, count: Int(cepoll_events_max))

    deinit {
        close(descriptor)
    }

    /// Watches a socket; `wait` names it by its index.
    func add(_ socket: Int32, index: Int) {
        precondition(cepoll_add(descriptor, socket, UInt64(index)) == 0, "an open socket can be watched")
    }

    /// Waits up to so many milliseconds, and calls the body with the index of each socket that can be read.
    func wait(_ milliseconds: Int32, _ body: (Int) throws -> Void) rethrows {
        let count = cepoll_wait(descriptor, &indexes, milliseconds)
        for index in indexes.prefix(Int(count)) { try body(Int(index)) }
    }
}

/// A failed measurement, with the reason.
struct BenchmarkError: Error, CustomStringConvertible {
    var description: String
}

/// Sockets and clocks.
enum Net {
    /// Connects to a port of this machine. The socket waits neither in reading nor in writing.
    static func connect(_ port: Int) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw BenchmarkError(description: "no socket: \(text(errno))") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let result = withUnsafeBytes(of: &address) { bytes in
            Glibc.connect(
                descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        guard result == 0 else {
            let reason = text(errno)
            close(descriptor)
            throw BenchmarkError(description: "no connection to port \(port): \(reason)")
        }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        return descriptor
    }

    /// A port that is free now.
    static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return try withUnsafeMutableBytes(of: &address) { bytes in
            let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            guard let pointer, bind(descriptor, pointer, length) == 0, getsockname(descriptor, pointer, &length) == 0
            else { throw BenchmarkError(description: "no free port: \(text(errno))") }
            return Int(bytes[2]) << 8 | Int(bytes[3])
        }
    }

    static func send(_ socket: Int32, _ bytes: [UInt8]) throws {
        let count = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        guard count == bytes.count else { throw BenchmarkError(description: "a request was not sent: \(text(errno))") }
    }

    /// Lets this process have as many files open as the system allows.
    static func raiseOpenFiles() -> Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }

    /// Nanoseconds since some point in the past, the same for all processes.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private static func text(_ error: Int32) -> String { String(cString: strerror(error)) }
}

/// Durations in nanoseconds, and what share of them is below what.
struct Durations {
    private var sorted: [Int64]

    init(_ all: [Int64]) { sorted = all.sorted() }

    var count: Int { sorted.count }

    /// The duration in milliseconds that so large a share does not exceed.
    func quantile(_ share: Double) -> Double {
        guard !sorted.isEmpty else { return .nan }
        return Double(sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]) / 1_000_000
    }
}
