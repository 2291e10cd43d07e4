internal import CMicroHTTPD
import Synchronization

/// The way of a request, as the thread of its connection goes it.
extension ServerCore {
    var idleDeadline: Int64 { Monotonic.now + configuration.idleTimeout.nanoseconds }

    /// The request line has come.
    func began(_ exchange: Exchange, target: String) {
        requestBegan()
        exchange.stage = .head
        exchange.target = target
        exchange.expires(at: Monotonic.now + configuration.requestTimeout.nanoseconds)
    }

    /// The request goes on: its headers have come, a part of its body, its end, or its answer. Returns `false` to break
    /// the connection.
    func proceed(_ exchange: Exchange, method: UnsafePointer<CChar>, body: UnsafeRawBufferPointer) -> Bool {
        switch exchange.stage {
        case .head:
            counters.requests.wrappingAdd(1, ordering: .relaxed)
            return readHead(exchange, method: String(cString: method))
        case .body where body.isEmpty:
            return answer(exchange)
        case .body:
            return take(exchange, body)
        case .draining(let response) where body.isEmpty:
            return send(exchange, response, closing: isEnding)
        case .draining:
            return drain(exchange, body)
        case .waiting:
            // Resumed: the completion is finished.
            return sendPending(exchange)
        case .idle, .answering:
            return true
        }
    }

    /// The request has ended, with its response sent or without.
    func ended(_ exchange: Exchange, isComplete: Bool) {
        switch exchange.detach() {
        case .stream(let stream):
            counters.streamsOpen.wrappingSubtract(1, ordering: .relaxed)
            let ending = stream.detach(isComplete || isEnding ? .closed : .disconnected)
            if ending == .tooSlow { counters.streamsTooSlow.wrappingAdd(1, ordering: .relaxed) }
        case .answer, nil:
            break
        }
        counters.bodyBytes.wrappingSubtract(exchange.bodyShare, ordering: .relaxed)
        exchange.reset(idleUntil: idleDeadline)
        requestEnded()
    }

    /// libmicrohttpd answers by itself what it cannot read, and says so in its log alone.
    func logged(_ line: String) {
        note(line)
        guard line.hasPrefix("Error processing request (HTTP response code is ") else { return }
        let isTooLarge = line.contains("code is 431") || line.contains("code is 414")
        counters.count(isTooLarge ? .headersTooLarge : .notHTTP)
    }

    // MARK: - Steps

    private func readHead(_ exchange: Exchange, method: String) -> Bool {
        let head = RequestHead(exchange.connection, into: &exchange.headers)
        exchange.method = method
        exchange.acceptsGzip = head.acceptsGzip
        exchange.stage = .body
        guard let refusal = refusal(of: exchange, head) else {
            guard head.hasBody else { return true }
            if let response = admission(exchange) { return refuse(exchange, head, response) }
            guard reserve(head.contentLength ?? 0, exchange) else {
                return refuse(exchange, head, counted(tooManyBodies))
            }
            exchange.body.reserveCapacity(head.contentLength ?? 0)
            return true
        }
        return refuse(exchange, head, counted(refusal), closing: refusal.closes)
    }

    /// A response at this point ends the connection; so it waits for the end of a body that is short enough.
    private func refuse(
        _ exchange: Exchange, _ head: RequestHead, _ response: HTTPResponse, closing: Bool = false
    ) -> Bool {
        if closing || head.expectsContinue || (head.contentLength ?? 0) > drainLimit {
            return send(exchange, response, closing: true)
        }
        exchange.stage = .draining(response)
        return true
    }

    /// Asks the configuration about a request whose body is not read yet. A target that cannot be read is found later.
    private func admission(_ exchange: Exchange) -> HTTPResponse? {
        guard let admit = configuration.admit, let request = try? request(of: exchange, body: []) else { return nil }
        return admit(request)
    }

    private func request(of exchange: Exchange, body: [UInt8]) throws(InvalidTarget) -> HTTPRequest {
        try HTTPRequest(
            method: exchange.method, target: exchange.target, headers: exchange.headers, body: body,
            remoteAddress: exchange.peer.text)
    }

    /// Keeps a part of the body, if it may be so long.
    private func take(_ exchange: Exchange, _ body: UnsafeRawBufferPointer) -> Bool {
        let count = exchange.body.count + body.count
        let refusal =
            count > configuration.bodyLimit
            ? bodyTooLarge
            : count > exchange.bodyShare && !reserve(max(body.count, 65_536), exchange) ? tooManyBodies : nil
        guard let refusal else {
            exchange.body.append(contentsOf: body)
            return true
        }
        exchange.body = []
        exchange.stage = .draining(counted(refusal))
        return drain(exchange, body)
    }

    private func reserve(_ count: Int, _ exchange: Exchange) -> Bool {
        let total = counters.bodyBytes.wrappingAdd(count, ordering: .relaxed).newValue
        exchange.bodyShare += count
        return total <= configuration.bodiesLimit
    }

    private var tooManyBodies: HTTPRefusal {
        HTTPRefusal(503, .tooManyBodies, "Too many bodies are being read at once.", retryAfter: 1)
    }

    private func refusal(of exchange: Exchange, _ head: RequestHead) -> HTTPRefusal? {
        if isEnding { return HTTPRefusal(503, .shuttingDown, "The server is being shut down.", retryAfter: 1) }
        if connections.count > configuration.connectionLimit {
            let limit = configuration.connectionLimit
            return HTTPRefusal(503, .tooManyConnections, "At most \(limit) connections are open.", retryAfter: 5)
        }
        if let wait = rateLimiter?.wait(exchange.peer.network, at: Monotonic.now) {
            return HTTPRefusal(
                429, .tooManyRequests, "At most \(rate) requests per second come from one address.", retryAfter: wait)
        }
        if let refusal = head.refusal { return refusal }
        return (head.contentLength ?? 0) > configuration.bodyLimit ? bodyTooLarge : nil
    }

    private var rate: String {
        let rate = configuration.rateLimit?.perSecond ?? 0
        return rate == rate.rounded() ? String(Int(rate)) : String(rate)
    }

    private var bodyTooLarge: HTTPRefusal {
        HTTPRefusal(413, .bodyTooLarge, "A body has at most \(configuration.bodyLimit) bytes.")
    }

    /// A client that still sends does not read the response before it is closed; so some more of its body is read.
    private var drainLimit: Int { configuration.bodyLimit + 8 << 20 }

    private func drain(_ exchange: Exchange, _ body: UnsafeRawBufferPointer) -> Bool {
        exchange.surplus += body.count
        if exchange.surplus <= drainLimit { return true }
        counters.count(.bodyTooLarge)
        return false
    }

    /// The request is complete.
    private func answer(_ exchange: Exchange) -> Bool {
        let request: HTTPRequest
        do {
            request = try self.request(of: exchange, body: exchange.body)
        } catch {
            return refuse(exchange, HTTPRefusal(400, .malformedTarget, "The target \(error)."))
        }
        switch respond(request) {
        case .now(let response):
            return send(exchange, response, closing: isEnding)
        case .later(let start):
            return wait(exchange, start)
        case .events(let stream):
            return open(exchange, stream, isHead: request.isHead)
        }
    }

    /// Sets the connection aside until its answer is finished.
    private func wait(_ exchange: Exchange, _ start: (HTTPCompletion) -> Void) -> Bool {
        let pending = PendingAnswer(exchange.connection)
        exchange.stage = .waiting
        exchange.attach(.answer(pending))
        if isEnding {
            _ = exchange.detach()
            return refuse(exchange, HTTPRefusal(503, .shuttingDown, "The server is being shut down."))
        }
        exchange.expires(at: Monotonic.now + configuration.answerTimeout.nanoseconds)
        // The end of the server may have answered meanwhile.
        guard pending.suspend() else { return sendPending(exchange) }
        start(HTTPCompletion(pending))
        return true
    }

    /// Sends the answer that the connection has waited for.
    private func sendPending(_ exchange: Exchange) -> Bool {
        guard case .answer(let answer) = exchange.detach(), let response = answer.takeResponse() else { return false }
        return send(exchange, response, closing: isEnding)
    }

    func refuse(_ exchange: Exchange, _ refusal: HTTPRefusal) -> Bool {
        send(exchange, counted(refusal), closing: isEnding || refusal.closes)
    }

    private func counted(_ refusal: HTTPRefusal) -> HTTPResponse {
        counters.count(refusal.kind)
        return configuration.refusal(refusal)
    }
}

extension HTTPRefusal {
    /// After these nothing more is read from the connection.
    fileprivate var closes: Bool {
        [.tooManyConnections, .malformedHeaders, .unsupportedEncoding, .shuttingDown].contains(kind)
    }
}
