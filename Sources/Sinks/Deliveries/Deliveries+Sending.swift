import HTTPClient
import Messages
import RecordLog

/// How what is due becomes requests.
extension Deliveries {
    /// Parcels of one address that go in one request.
    private struct Batch {
        var items: [Item] = []
        /// The most items that it may have.
        var limit: Int
    }

    /// Sends what is due, as far as requests may be under way.
    func send(isFlushing: Bool) {
        var batches: [String: Batch] = [:]
        // Of an address that no request is left for.
        var later: [Item] = []
        while underWay.count < settings.pace.requestsMax, later.count < destination.batchMax,
            let (lane, first) = lanes.next(now: clock.now, isFlushing: isFlushing)
        {
            guard let parcel = ready(first, from: lane) else { continue }
            let item = Item(lane: lane, parcel: parcel)
            let hasRoom = underWay.count + batches.count < settings.pace.requestsMax
            if hasRoom || batches[destination.address(of: parcel.content)] != nil {
                add(item, to: &batches)
            } else {
                later.append(item)
            }
        }
        for (_, batch) in batches.sorted(by: { $0.key < $1.key }) { send(batch.items) }
        for item in later {
            hosts[destination.host(of: item.parcel.content)]?.endProbe()
            putBack(item.parcel, to: item.lane, due: clock.now)
        }
    }

    /// Puts it to others of its address, and sends them when no more of them may go together.
    private func add(_ item: Item, to batches: inout [String: Batch]) {
        let address = destination.address(of: item.parcel.content)
        let limit = min(item.parcel.batchMax ?? destination.batchMax, destination.batchMax)
        if let batch = batches[address], batch.items.count >= min(batch.limit, limit) {
            batches[address] = nil
            send(batch.items)
        }
        var batch = batches.removeValue(forKey: address) ?? Batch(limit: limit)
        batch.items.append(item)
        batch.limit = min(batch.limit, limit)
        if batch.items.count >= batch.limit { return send(batch.items) }
        batches[address] = batch
    }

    /// - Returns: what is to be sent of a parcel by what is known now; `nil` if it has to wait, or nobody wants it.
    private func ready(_ first: Parcel, from lane: String) -> Parcel? {
        guard let parcel = redirect(first, from: lane) else {
            finish(lane, first)
            return nil
        }
        let host = destination.host(of: parcel.content)
        if isTooOld(parcel) {
            dropForAge(parcel)
            finish(lane, parcel)
            return nil
        }
        if let pause = hosts[host]?.pause, pause.until > clock.now {
            putBack(parcel, to: lane, due: pause.until + HostBreaker.place(parcel.attempts))
            return nil
        }
        if hosts[host]?.admits() == false {
            putBack(parcel, to: lane, due: clock.now + HostBreaker.look)
            return nil
        }
        return parcel
    }

    private func send(_ items: [Item]) {
        var attempt = destination.attempt(items.map(\.parcel.content), wall: clock.wall, now: clock.now)
        tag += 1
        let attempts = items.map(\.parcel.attempts).max() ?? 0
        let span = traces.push(
            items.flatMap(\.parcel.records), attempts: attempts, to: attempt.host, &attempt.request)
        let isProbe = hosts[attempt.host]?.breaker.isProbing ?? false
        underWay[tag] = Sent(items: items, attempt: attempt, isProbe: isProbe, span: span)
        transport.execute(attempt.request, tag: tag)
    }

    // MARK: - Age

    /// A destination that is told everything, or the newest, is told it however old it is. There a failure is the
    /// parcel's own only if it fails after others were delivered meanwhile, so that an outage of a day costs nothing.
    private func isTooOld(_ parcel: Parcel) -> Bool {
        let isJoined = destination.conflation == .joined
        if isJoined, Duration(clock.wall - parcel.newest) > settings.pace.ageMax { return true }
        guard let failure = parcel.failure, let since = isJoined ? failure.since : failure.ownSince else {
            return false
        }
        return clock.now - since >= settings.pace.ageMax
    }

    /// Settles a parcel that is too old: it is a dead letter if it has failed for its own sake, else nothing.
    private func dropForAge(_ parcel: Parcel) {
        if let failure = parcel.failure {
            let reason = "could not be sent for \(settings.pace.ageMax): \(failure.reason)"
            deadLetter(parcel.records, MessageProblem(.notAllowed, reason))
        } else {
            summary.tooOld += parcel.records.count
        }
    }
}
