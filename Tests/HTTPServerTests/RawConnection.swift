import Glibc
import Testing

/// A client's end of a TCP connection that sends and reads whatever a test wants, HTTP or not. Reads time out.
///
/// One thread may read while another sends.
final class RawConnection: @unchecked Sendable {
    private let descriptor: Int32
    /// What was read and not yet used.
    private var buffer: [UInt8] = []

    /// Nobody listens on the port.
    struct Refused: Error {}

    init(port: Int, timeout: Int = 20, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var time = timeval(tv_sec: timeout, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let result = withUnsafeBytes(of: &address) { bytes in
            connect(
                descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        guard result == 0 else { throw Refused() }
    }

    deinit {
        close(descriptor)
    }

    /// Sends all bytes; returns `false` where the other end has closed the connection.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Says that nothing more will be sent.
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Reads more bytes; returns `false` at the end of the stream or after the time-out.
    private func fill() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        buffer.append(contentsOf: chunk[..<count])
        return true
    }

    /// Reads up to the end of the connection.
    func readToEnd() -> [UInt8] {
        while fill() {}
        defer { buffer = [] }
        return buffer
    }

    /// Reads up to and with the next line feed; the line's end is left out.
    private func readLine() -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = buffer[..<end]
                buffer.removeSubrange(...end)
                return String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
            }
            guard fill() else { return nil }
        }
    }

    private func read(_ count: Int) -> [UInt8]? {
        while buffer.count < count { guard fill() else { return nil } }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    struct Response {
        var status: Int
        var headers: [(name: String, value: String)]
        var body: [UInt8] = []

        var text: String { String(decoding: body, as: UTF8.self) }

        func header(_ name: String) -> String? { headers.first { $0.name == name.lowercased() }?.value }
    }

    /// Reads the head of a response; interim ones are passed over unless they are asked for.
    func readHead(interim: Bool = false) throws -> Response {
        while true {
            let line = try #require(readLine(), "the connection ended before a response")
            try #require(line.hasPrefix("HTTP/1."), "not a status line: \(line)")
            var response = Response(status: try #require(Int(line.split(separator: " ")[1])), headers: [])
            while let line = readLine(), !line.isEmpty {
                let colon = try #require(line.firstIndex(of: ":"), "not a header: \(line)")
                let value = line[line.index(after: colon)...].drop { $0 == " " }
                response.headers.append((line[..<colon].lowercased(), String(value)))
            }
            if response.status >= 200 || interim { return response }
        }
    }

    /// Reads the next chunk of a chunked body; empty at its end, `nil` where the connection ends before.
    func readChunk() throws -> [UInt8]? {
        guard let line = readLine() else { return nil }
        let count = try #require(Int(line, radix: 16), "not the size of a chunk: \(line)")
        let chunk = read(count)
        _ = readLine()
        return chunk
    }

    /// Reads a whole response.
    func readResponse(isHead: Bool = false) throws -> Response {
        var response = try readHead()
        if isHead || response.status == 204 || response.status == 304 { return response }
        if response.header("transfer-encoding") == "chunked" {
            while let chunk = try readChunk(), !chunk.isEmpty { response.body += chunk }
        } else if let length = response.header("content-length").flatMap({ Int($0) }) {
            response.body = try #require(read(length), "the body is cut off")
        } else {
            response.body = readToEnd()
        }
        return response
    }

    /// Sends a request and reads its response.
    func request(_ method: String, _ target: String, headers: [String] = [], body: String = "") throws -> Response {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: localhost"] + headers
        if !body.isEmpty { lines.append("Content-Length: \(body.utf8.count)") }
        send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
        return try readResponse(isHead: method == "HEAD")
    }
}

/// Waits until the condition holds, two minutes at most.
func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<12_000 {
        if condition() { return true }
        usleep(10_000)
    }
    return condition()
}
