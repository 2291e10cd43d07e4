internal import CMicroHTTPD
import Synchronization

/// Handing responses to libmicrohttpd.
extension ServerCore {
    /// Returns `false` where the connection must be broken, since it can get no response.
    func send(_ exchange: Exchange, _ response: HTTPResponse, closing: Bool) -> Bool {
        exchange.stage = .answering
        var body = response.body.bytes
        let isCompressible = body.count >= configuration.gzipMinimum && response.isCompressible
        var isCompressed = false
        if isCompressible, exchange.acceptsGzip {
            body = response.body.gzip ?? compressor.compressed(body)
            isCompressed = true
        }
        let seconds = Int64(body.count / configuration.slowestReader)
        exchange.expires(at: idleDeadline + seconds * 1_000_000_000)
        // The response reads the bytes where they are, and lets go of them at its end.
        let context = Unmanaged.passRetained(body)
        let message = MHD_create_response_from_buffer_with_free_callback_cls(
            body.count, UnsafeMutableRawPointer(mutating: body.bytes.baseAddress), Self.release, context.toOpaque())
        guard let message else {
            context.release()
            return false
        }
        defer { MHD_destroy_response(message) }
        for field in response.headers {
            if isCompressed || isCompressedByClient(exchange, response, field), field.isNamed("ETag") {
                add("ETag", EntityTag.ofGzip(field.value), to: message)
            } else {
                add(field.name, field.value, to: message)
            }
        }
        addFurther(exchange, to: message)
        // A 304 names what the 200 would (RFC 9110 section 15.4.5).
        if isCompressible || response.status == 304 { add("Vary", "Accept-Encoding", to: message) }
        if isCompressed { add("Content-Encoding", "gzip", to: message) }
        if closing { add("Connection", "close", to: message) }
        return MHD_queue_response(exchange.connection, UInt32(response.status), message) == .YES
    }

    /// Starts a response without an end.
    func open(_ exchange: Exchange, _ stream: EventStream, isHead: Bool) -> Bool {
        if isHead || isEnding {
            stream.detach(.closed)
            return isHead
                ? send(exchange, HTTPResponse(200, headers: stream.headers), closing: isEnding)
                : refuse(exchange, HTTPRefusal(503, .shuttingDown, "The server is being shut down."))
        }
        exchange.stage = .answering
        // libmicrohttpd itself closes a connection whose peer takes nothing; one that is set aside has all the time.
        exchange.expires(at: stream.lifetime.map { Monotonic.now + $0.nanoseconds } ?? .max)
        let context = Unmanaged.passRetained(stream)
        // The buffer serves HTTP/1.0 alone; chunks are made in the connection's memory.
        let message = MHD_create_response_from_callback(
            .max, 256, Self.read, context.toOpaque(), Self.releaseStream)
        guard let message else {
            context.release()
            return false
        }
        defer { MHD_destroy_response(message) }
        for field in stream.headers { add(field.name, field.value, to: message) }
        addFurther(exchange, to: message)
        exchange.attach(.stream(stream))
        counters.streamsOpen.wrappingAdd(1, ordering: .relaxed)
        stream.attach(exchange)
        if isEnding { stream.close() }
        return MHD_queue_response(exchange.connection, 200, message) == .YES
    }

    /// True for a 304 to a client that has the compressed content.
    private func isCompressedByClient(_ exchange: Exchange, _ response: HTTPResponse, _ tag: HTTPField) -> Bool {
        response.status == 304 && exchange.acceptsGzip
            && exchange.headers["If-None-Match"]?.contains(EntityTag.ofGzip(tag.value)) == true
    }

    private func addFurther(_ exchange: Exchange, to message: OpaquePointer) {
        for field in configuration.furtherHeaders?(exchange.headers) ?? [] { add(field.name, field.value, to: message) }
    }

    private func add(_ name: String, _ value: String, to message: OpaquePointer) {
        if MHD_add_response_header(message, name, value) != .YES {
            counters.headersDropped.wrappingAdd(1, ordering: .relaxed)
        }
    }

    // MARK: - Called by libmicrohttpd

    private static let release: MHD_ContentReaderFreeCallback = { context in
        if let context { Unmanaged<SharedBytes>.fromOpaque(context).release() }
    }

    private static let releaseStream: MHD_ContentReaderFreeCallback = { context in
        if let context { Unmanaged<EventStream>.fromOpaque(context).release() }
    }

    private static let read: MHD_ContentReaderCallback = { context, _, buffer, count in
        guard let context, let buffer else { return -2 }
        let stream = Unmanaged<EventStream>.fromOpaque(context).takeUnretainedValue()
        return stream.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: count))
    }
}

extension HTTPField {
    /// ASCII letters are the same in either case.
    func isNamed(_ other: StaticString) -> Bool {
        name.utf8.count == other.utf8CodeUnitCount
            && other.withUTF8Buffer { name.utf8.elementsEqual($0) { $0 | 0x20 == $1 | 0x20 } }
    }
}

extension HTTPResponse {
    /// Content that somebody else encoded stays as it is, and so do pictures and the like.
    fileprivate var isCompressible: Bool {
        guard let type = headers.first(where: { $0.isNamed("Content-Type") })?.value,
            !headers.contains(where: { $0.isNamed("Content-Encoding") })
        else { return false }
        return ["application/json", "application/problem+json", "text/", "application/x-ndjson", "application/yaml"]
            .contains { type.hasPrefix($0) }
    }
}
