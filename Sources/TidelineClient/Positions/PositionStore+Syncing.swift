internal import Foundation
public import Positions

/// The exchange with the server, and so with the other devices.
extension PositionStore {
    /// Sends what waits for the server, and learns what the other devices have done.
    ///
    /// It never fails: what cannot be sent stays in the journal, and is tried again by itself. What was recorded before
    /// the call is in the exchange that it waits for. Calls at one time share one.
    ///
    /// - Returns: the status at the end; `idle` if nothing may leave the device.
    @discardableResult
    public func syncAcrossDevices() async -> SyncStatus {
        if let earlier = runningSync {
            // It began before this call, so it may not have what was recorded since.
            let status = await earlier.value
            if Task.isCancelled { return status }
        }
        if let runningSync { return await runningSync.value }
        let task = Task {
            let status = await sync()
            runningSync = nil
            return status
        }
        runningSync = task
        return await task.value
    }

    /// Takes in what a stream of events told of this reader, without asking the server. What is about another reader
    /// or configuration changes nothing.
    ///
    /// - Throws: `.storage` if the disk does not take it.
    public func receive(_ event: ServerEvent) async throws(TidelineError) {
        guard settings.enabled, settings.cloudSync else { return }
        let settings = settings
        switch event {
        case .position(let merged) where merged.readerId == readerId && merged.configurationId == configurationId:
            take(
                try await journal.update { state in
                    // An event may be older than what was asked for meanwhile, so it takes nothing away.
                    var all = state.remote.map { ReaderPositions($0, settings: settings) } ?? ReaderPositions()
                    all.merge(ReaderPositions(merged, settings: settings), settings: settings)
                    state.remote = all.merged(readerId: merged.readerId, configurationId: merged.configurationId)
                    state.etag = nil
                })
        case .positionRemoved(readerId, configurationId):
            take(
                try await journal.update { state in
                    (state.remote, state.etag) = (nil, nil)
                })
        case .gap, .connected: syncLater(after: .zero)
        default: break
        }
    }

    /// Syncs after a time, instead of when it was planned before.
    func syncLater(after wait: ElapsedTime) {
        guard settings.enabled, settings.cloudSync, !isStopped else { return }
        syncTimer?.cancel()
        let clock = clock
        syncTimer = Task { [weak self] in
            do { try await clock.sleep(for: wait) } catch { return }
            await self?.syncAcrossDevices()
        }
    }

    private func sync() async -> SyncStatus {
        guard settings.enabled, settings.cloudSync else { return .idle }
        // What cannot be saved is counted; what is in the journal can be sent nonetheless.
        _ = try? await save()
        statusSubject.set(.syncing)
        let waiting = view.state.pending
        let (status, wait) = await outcome()
        statusSubject.set(status)
        // What was saved during the exchange need not wait for the next one; after a failure everything does.
        let isBehind = backoff.failures == 0 && !view.state.pending.subtracting(waiting).isEmpty
        syncLater(after: isBehind ? .zero : wait)
        return status
    }

    /// One exchange with the server: the status after it, and the time until the next one.
    private func outcome() async -> (SyncStatus, ElapsedTime) {
        do throws(TidelineError) {
            if view.state.pending.isEmpty { try await pull() } else { try await push() }
            let now = clock.now
            backoff.succeed()
            syncTimeSubject.set(now)
            return (.success(at: now), settings.syncInterval)
        } catch {
            connection.note("positions: \(error)")
            switch error {
            case .unreachable: return (.offline(pending: pendingCount), backoff.fail(random))
            case .cancelled: return (.idle, settings.syncInterval)
            case .refused(let problem):
                let wait = backoff.fail(atLeast: problem.retryAfter, random)
                return (.error(message: error.description, retryAt: clock.now + wait), wait)
            case .unreadable, .storage:
                let wait = backoff.fail(random)
                return (.error(message: error.description, retryAt: clock.now + wait), wait)
            }
        }
    }

    // MARK: - Requests

    private var path: [String] { ["readers", readerId, "positions", configurationId] }

    /// Learns what the server has.
    private func pull() async throws(TidelineError) {
        var call = ServerConnection.Call(path: path)
        if let etag = view.state.etag, view.state.remote != nil { call.headers["If-None-Match"] = etag }
        let response = try await connection.send(call, accepting: [304, 404])
        switch response.head.status {
        case 304:
            let now = clock.now.milliseconds
            take(try await journal.update { $0.lastSync = now })
        case 404:
            let problem = Problem(response)
            guard problem.isNotFound else { throw .refused(problem) }
            try await learn(nil, response.head)
        default: try await learn(MergedPosition.reading(response.body), response.head)
        }
    }

    private func learn(_ merged: MergedPosition?, _ head: TransportHead) async throws(TidelineError) {
        let (etag, now) = (merged == nil ? nil : head["ETag"], clock.now.milliseconds)
        take(
            try await journal.update { state in
                (state.remote, state.etag, state.lastSync) = (merged, etag, now)
            })
    }

    /// Sends what waits, and learns what the server has then.
    ///
    /// A record that the server refuses for its content is sent in smaller parts, so that all the rest arrives. A
    /// place or mark that is refused alone is set aside: it stays on this device.
    private func push() async throws(TidelineError) {
        var parts = [view.state.pending]
        while let part = parts.popLast() {
            do {
                try await push(part)
            } catch {
                guard case .refused(let problem) = error, problem.isOfContent else { throw error }
                if let (first, second) = part.halves {
                    parts += [second, first]
                } else {
                    connection.note("positions: one is set aside: \(problem)")
                    let settings = settings
                    take(try await journal.update { state in state.setAside(part, settings: settings) })
                }
            }
        }
    }

    /// Sends a part of what waits.
    ///
    /// Each try says what this device has seen (`If-Match`). If another device was faster, what that one did is learned
    /// first. Merging needs no order, so after some tries the record is sent without a condition.
    private func push(_ sent: ReaderPositions) async throws(TidelineError) {
        for isLast in [false, false, true] {
            let own = sent.histories.isEmpty ? view.state.tellable : sent
            guard let record = PositionRecord(sent, own: own, deviceId: deviceId) else {
                return try await pushMarks(sent)
            }
            var call = ServerConnection.Call(method: "PUT", path: path, query: [("wait", "true")])
            call.body = try encoded(PositionBody(record: record))
            if let etag = view.state.etag, !isLast { call.headers["If-Match"] = etag }
            let response = try await connection.send(call, accepting: [412, 504])
            switch response.head.status {
            case 412 where !isLast: try await pull()
            case 200: return try await accept(sent, response, MergedPosition.reading(response.body))
            case 202:
                try await accept(sent, response, nil)
                return try await pull()
            default:
                // Also a server and a proxy that give up say 504; then nobody knows whether the broker has it.
                let problem = Problem(response)
                guard problem.isWaitTimedOut else { throw .refused(problem) }
                try await accept(sent, response, nil)
                return try await pull()
            }
        }
    }

    /// Sends dismissals of a device that has no place of its own. Marks of what was read wait for its first place.
    private func pushMarks(_ sent: ReaderPositions) async throws(TidelineError) {
        guard !sent.dismissed.isEmpty else { return try await pull() }
        var call = ServerConnection.Call(method: "POST", path: path + ["dismissals"])
        call.body = try encoded(Dismissals(deviceId: deviceId, entryIds: sent.dismissed.map(\.entryId)))
        // Where nothing is remembered of the reader any more, there is nothing to dismiss.
        let response = try await connection.send(call, accepting: [404])
        let problem = Problem(response)
        guard response.head.status != 404 || problem.isNotFound else { throw .refused(problem) }
        let dismissed = ReaderPositions(histories: [], readEntries: [], dismissed: sent.dismissed, settings: settings)
        try await accept(dismissed, response, nil)
        try await pull()
    }

    private func accept(
        _ sent: ReaderPositions, _ response: TransportResponse, _ merged: MergedPosition?
    ) async throws(TidelineError) {
        let (deviceId, settings, now) = (deviceId, settings, clock.now.milliseconds)
        let (arrival, etag) = (response.head.date, response.head["ETag"])
        take(
            try await journal.update { state in
                state.accept(sent, deviceId: deviceId, arrival: arrival, settings: settings)
                if let merged { (state.remote, state.etag) = (merged, etag) }
                state.lastSync = now
            })
    }

    private func encoded(_ body: some Encodable) throws(TidelineError) -> Data {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(body)
        } catch {
            throw .unreadable("a place cannot be written as JSON: \(error)")
        }
    }
}

/// A record without the names that the path has.
private struct PositionBody: Encodable {
    var record: PositionRecord

    private enum CodingKeys: String, CodingKey { case deviceId, readEntries, dismissed, history }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(record.deviceId, forKey: .deviceId)
        try record.position.encode(to: encoder)
        if !record.readEntries.isEmpty { try container.encode(record.readEntries, forKey: .readEntries) }
        if !record.dismissed.isEmpty { try container.encode(record.dismissed, forKey: .dismissed) }
        if !record.history.isEmpty { try container.encode(record.history, forKey: .history) }
    }
}

private struct Dismissals: Encodable {
    var deviceId: String
    var entryIds: [String]
}
