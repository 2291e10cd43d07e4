import CPostgres
import Glibc

/// What a connection waits for: libpq never blocks here.
extension PostgresConnection {
    enum Readiness { case toRead, toWrite, toReadOrWrite }

    /// Waits for the connection's socket.
    ///
    /// - Parameter timeout: `nil` waits for ever.
    /// - Returns: false if the time is over.
    func wait(_ readiness: Readiness, _ timeout: Duration?) -> Bool {
        let events = readiness == .toRead ? POLLIN : readiness == .toWrite ? POLLOUT : POLLIN | POLLOUT
        var socket = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
        let milliseconds = timeout.map { Int32(clamping: $0.components.seconds * 1000) } ?? -1
        while true {
            let count = poll(&socket, 1, milliseconds)
            if count >= 0 { return count > 0 }
            // A signal asks to stop, which is seen once this is answered.
            guard errno == EINTR else { return true }
        }
    }

    /// Hands everything to the system that is to be sent.
    func flush() throws(PostgresError) {
        while true {
            let answer = PQflush(handle)
            if answer == 0 { return }
            guard answer == 1 else { throw lost() }
            try waitToSend()
        }
    }

    /// Waits until more can be sent. Takes in what the server says meanwhile, or both would wait for the other.
    func waitToSend() throws(PostgresError) {
        guard wait(.toReadOrWrite, patience) else { throw silent() }
        guard PQconsumeInput(handle) == 1 else { throw lost() }
    }

    /// Returns the next result, which is the caller's to clear; `nil` after the last one of a statement.
    func nextResult() throws(PostgresError) -> OpaquePointer? {
        while PQisBusy(handle) == 1 {
            guard wait(.toRead, patience) else { throw silent() }
            guard PQconsumeInput(handle) == 1 else { throw lost() }
        }
        let result = PQgetResult(handle)
        // A result of a lost connection has libpq's text, and others would follow for ever.
        if PQstatus(handle) == CONNECTION_BAD {
            let failure = result.map { PostgresError($0) }
            PQclear(result)
            let lost = lost()
            throw failure?.code == nil ? lost : failure ?? lost
        }
        return result
    }

    private func silent() -> PostgresError {
        lost("the server has said nothing for \(patience ?? .zero)")
    }
}

/// Calls `body` with `texts` as C wants a list of strings: ended by a null pointer, which a `nil` is, too.
func withCStrings<Result>(
    _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
    let copies = texts.map { text in text.map { strdup($0) } ?? nil } + [nil]
    defer { copies.forEach { free($0) } }
    return body(copies.map { UnsafePointer($0) })
}
