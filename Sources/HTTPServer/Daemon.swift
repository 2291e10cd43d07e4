internal import CMicroHTTPD
import Glibc
import Synchronization

/// libmicrohttpd's daemon, and the functions by which it calls in.
final class Daemon: Sendable {
    private nonisolated(unsafe) let daemon: OpaquePointer
    /// libmicrohttpd's log reads it until the end.
    private nonisolated(unsafe) let configuration: UnsafeMutablePointer<cmhd_configuration>
    private let core: Unmanaged<ServerCore>
    private let socket: ListeningSocket
    private nonisolated(unsafe) let texts: [UnsafeMutablePointer<CChar>?]

    /// More connections than the limit, so that those beyond it are told so.
    static let connectionsBeyondLimit = 64

    init(_ core: ServerCore, socket: ListeningSocket, tls: TLSTexts?) throws(HTTPServerError) {
        self.socket = socket
        self.core = Unmanaged.passRetained(core)
        let threads = core.configuration.threads ?? min(8, max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
        // TLS 1.2 at least (RFC 8996).
        texts =
            tls.map { [strdup($0.certificate), strdup($0.key), strdup("NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2")] }
            ?? [nil, nil, nil]
        configuration = .allocate(capacity: 1)
        configuration.initialize(
            to: cmhd_configuration(
                listen_socket: socket.lent, threads: UInt32(threads), thread_stack_bytes: 1 << 20,
                connection_memory_bytes: core.configuration.connectionMemory,
                // libmicrohttpd divides them among its threads, and does not say which of them takes a connection.
                connections: UInt32((core.configuration.connectionLimit + 2 * Self.connectionsBeyondLimit) * threads),
                inactivity_seconds: UInt32(max(1, core.configuration.idleTimeout.components.seconds)),
                certificate: texts[0], key: texts[1], tls_priorities: texts[2],
                context: self.core.toOpaque(),
                accept: Self.accept, handle: Self.handle, completed: Self.completed,
                connection_changed: Self.connectionChanged, target_received: Self.targetReceived, log: Self.log))
        guard let daemon = cmhd_start(configuration) else {
            // The library says more in its log alone.
            let reason = core.lastLine ?? String(cString: strerror(errno))
            Self.free(configuration, texts)
            self.core.release()
            throw HTTPServerError(
                tls == nil
                    ? "the HTTP server cannot start: \(reason)"
                    : """
                    the HTTP server cannot start with its TLS files; perhaps the key does not belong to the \
                    certificate, or one of the two is damaged: \(reason)
                    """)
        }
        self.daemon = daemon
    }

    /// Takes no more connections.
    func quiesce() { socket.close() }

    /// Closes all connections and ends the threads. No connection may be set aside.
    func stop() {
        MHD_stop_daemon(daemon)
        Self.free(configuration, texts)
        core.release()
    }

    private static func free(
        _ configuration: UnsafeMutablePointer<cmhd_configuration>, _ texts: [UnsafeMutablePointer<CChar>?]
    ) {
        configuration.deallocate()
        for text in texts { Glibc.free(text) }
    }

    // MARK: - Called by libmicrohttpd

    private static func core(_ context: UnsafeMutableRawPointer?) -> ServerCore {
        guard let context else { preconditionFailure("every callback carries its server") }
        return Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    }

    private static func exchange(_ pointer: UnsafeMutableRawPointer?) -> Exchange? {
        pointer.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let accept: MHD_AcceptPolicyCallback = { context, _, _ in
        let core = core(context)
        guard core.connections.count < core.configuration.connectionLimit + connectionsBeyondLimit else {
            core.counters.count(.tooManyConnections)
            return .NO
        }
        return .YES
    }

    private static let connectionChanged: MHD_NotifyConnectionCallback = { context, connection, slot, change in
        guard let connection, let slot else { return }
        let core = core(context)
        if change == .CONNECTION_NOTIFY_STARTED {
            let exchange = Exchange(connection, deadline: core.idleDeadline)
            core.connections.insert(exchange)
            core.counters.connections.wrappingAdd(1, ordering: .relaxed)
            slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
        } else if let pointer = slot.pointee {
            let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue()
            core.connections.remove(exchange)
            slot.pointee = nil
        }
    }

    private static let targetReceived: cmhd_target_received = { context, target, connection in
        guard let connection, let exchange = exchange(cmhd_socket_context(connection)) else { return nil }
        core(context).began(exchange, target: target.map { String(cString: $0) } ?? "")
        return cmhd_socket_context(connection)
    }

    private static let handle: MHD_AccessHandlerCallback = {
        context, _, _, method, version, upload, uploadCount, request in
        guard let exchange = exchange(request?.pointee), let method, let version, let uploadCount else { return .NO }
        let core = core(context)
        let bytes = UnsafeRawBufferPointer(start: upload, count: uploadCount.pointee)
        uploadCount.pointee = 0
        return core.proceed(exchange, method: method, body: bytes) ? .YES : .NO
    }

    private static let completed: MHD_RequestCompletedCallback = { context, _, request, reason in
        guard let exchange = exchange(request?.pointee) else { return }
        core(context).ended(exchange, isComplete: reason == .REQUEST_TERMINATED_COMPLETED_OK)
    }

    private static let log: cmhd_log = { context, line in
        guard let line else { return }
        core(context).logged(String(cString: line))
    }
}
