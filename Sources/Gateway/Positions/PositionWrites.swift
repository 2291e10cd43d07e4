import HTTPServer
import Messages
import Positions
import RecordLog
import Timelines

/// Positions that callers record, dismiss and delete.
///
/// The topic keeps one record per device, so each one is written whole: what is known of the device merged with what
/// the request says. A request with an old place takes nothing away.
final class PositionWrites: Sendable {
    let context: GatewayContext
    let unread = UnreadWrites<PositionKey, (record: PositionRecord, arrival: Instant)>()

    init(_ context: GatewayContext) {
        self.context = context
    }

    var settings: PositionSettings { context.settings.positions }

    // MARK: - Requests

    func put(_ request: GatewayRequest) throws(Problem) -> HTTPAnswer {
        let isWaiting = try request.query.bool("wait") ?? false
        let body = try request.object()
        let reader = try context.readerKey(for: request)
        try requireEnabled()
        let record = try record(body, reader)
        return request.answering { [self] (completion) throws(Problem) in
            try unread.change { () throws(Problem) in
                try requireMatch(request, reader)
                try write(record, isWaiting: isWaiting, completion)
            }
        }
    }

    func dismiss(_ request: GatewayRequest) throws(Problem) -> HTTPAnswer {
        let isWaiting = try request.query.bool("wait") ?? false
        let body = try Dismissal(request.object())
        let reader = try context.readerKey(for: request)
        try requireEnabled()
        let entries = body.entryIds == nil ? try context.entries(for: reader, request.caller) : []
        return request.answering { [self] (completion) throws(Problem) in
            try unread.change { () throws(Problem) in
                let now = context.clock.wall
                let known = known(reader)
                // Where the device has no place of its own, it takes over the one at which a restore puts it.
                guard let position = known.position(ofDevice: body.deviceId) ?? known.position else {
                    throw .notFound
                }
                let ids =
                    body.entryIds
                    ?? PositionRestorer(settings: settings).suggestions(
                        known, deviceId: body.deviceId, in: entries, at: now
                    ).map(\.entryId)
                let record = PositionRecord(
                    readerId: reader.readerId, configurationId: reader.configurationId, deviceId: body.deviceId,
                    position: position, dismissed: known.dismissals(of: ids, at: now))
                try write(record, isWaiting: isWaiting, completion)
            }
        }
    }

    func delete(_ request: GatewayRequest) throws(Problem) -> HTTPAnswer {
        let deviceId = try request.query.text("deviceId")
        let reader = try context.readerKey(for: request)
        try requireEnabled()
        return request.answering { [self] (completion) throws(Problem) in
            try unread.change { () throws(Problem) in
                try requireMatch(request, reader)
                let known = known(reader)
                var keys = known.devices.map(\.deviceId).filter { deviceId == nil || $0 == deviceId }.map {
                    PositionKey(reader, deviceId: $0)
                }
                // Marks alone go with the last device (P6), whichever it was.
                if known.histories.isEmpty, !known.isEmpty { keys = [PositionKey(reader, deviceId: deviceId)] }
                guard !keys.isEmpty else { throw .notFound }
                write(keys, completion)
            }
        }
    }

    // MARK: - Checks

    private func requireEnabled() throws(Problem) {
        guard settings.enabled else {
            throw Problem(
                403, "positions-off", "This installation keeps no positions.",
                detail: "The setting positions.enabled is false.")
        }
    }

    /// Holds a change to `If-Match` (RFC 9110 section 13.1.1): the merged position is the one that the caller knows.
    private func requireMatch(_ request: GatewayRequest, _ reader: ReaderKey) throws(Problem) {
        guard let condition = request.http.header("If-Match") else { return }
        // What this server has written and nobody has merged yet is not what the caller knows.
        guard !hasUnread(reader) else {
            throw .preconditionFailed("Another change of this position is under way; read it again.")
        }
        let tag = stored(reader)?.merged?.entityTag
        guard EntityTag.isNamed(tag, byIfMatch: condition) else {
            throw .preconditionFailed(
                tag.map { "The entity tag of the merged position is \($0)." } ?? "There is no merged position.")
        }
    }

    private func record(_ body: Parameters, _ reader: ReaderKey) throws(Problem) -> PositionRecord {
        var members = body
        var errors: [Problem.FieldError] = []
        for (name, id) in [("readerId", reader.readerId), ("configurationId", reader.configurationId)] {
            switch members[name] {
            case nil, .null?: break
            case .string(let text)? where text.isSameByUTF8(as: id): break
            case .number(let text)? where text.isSameByUTF8(as: id): break
            default: errors.append(.init(field: name, message: "must be the id of the path, or absent"))
            }
            members[name] = .string(id)
        }
        var json = JSONWriter()
        json.value(.object(members))
        var parser = JSONParser()
        do throws(MessageProblem) {
            let record = try json.withUnsafeBytes { (bytes) throws(MessageProblem) in
                try PositionRecord.decode(bytes, with: &parser)
            }
            if errors.isEmpty { return record }
        } catch {
            errors.append(Problem.fieldError(error))
        }
        throw .refused(errors)
    }

    // MARK: - Writing

    /// Writes a device's record together with all that is known of the device.
    private func write(_ told: PositionRecord, isWaiting: Bool, _ completion: HTTPCompletion) throws(Problem) {
        let now = context.clock.wall
        var known = known(ReaderKey(readerId: told.readerId, configurationId: told.configurationId))
        known.record(told, arrival: now, settings: settings)
        let key = PositionKey(of: told)
        // What is older than it is kept leaves nothing to write; the pipeline would drop it, too.
        let snapshots = known.only(device: told.deviceId).histories.first?.snapshots ?? [told.position]
        // The marks that other devices told stand in their own records.
        let marks = marks(of: key, and: told, now)
        let record = fitting(
            PositionRecord(
                readerId: told.readerId, configurationId: told.configurationId, deviceId: told.deviceId,
                position: snapshots[0], readEntries: marks.readEntries, dismissed: marks.dismissed,
                history: Array(snapshots.dropFirst())))
        var json = JSONWriter()
        record.write(to: &json)
        try context.requireSize(json.count)
        // What a dismissal names was not judged before.
        if let problem = json.withUnsafeBytes({ RecordJudge.problem(ofPosition: $0) }) {
            throw .refused([Problem.fieldError(problem)])
        }
        let outgoing = OutgoingRecord(
            topic: context.settings.topics.positions, key: Array(key.text.utf8), value: json.bytes)
        send([(outgoing, key, (record, now))], completion) { [self] places in
            guard isWaiting else { return completion.finish(.accepted(places[0])) }
            answerWithMerged(record, places[0], completion)
        }
    }

    private func write(_ keys: [PositionKey], _ completion: HTTPCompletion) {
        let records = keys.map { key in
            (
                OutgoingRecord(topic: context.settings.topics.positions, key: Array(key.text.utf8), value: nil), key,
                nil as (record: PositionRecord, arrival: Instant)?
            )
        }
        send(records, completion) { completion.finish(.accepted($0)) }
    }

    private func send(
        _ writes: [(record: OutgoingRecord, key: PositionKey, value: (record: PositionRecord, arrival: Instant)?)],
        _ completion: HTTPCompletion, success: @escaping @Sendable ([RecordPlace]) -> Void
    ) {
        unread.compact(isRead: isRead)
        let numbers = writes.map { (key: $0.key, number: unread.begin($0.key, $0.value)) }
        let records = writes.map(\.record)
        context.writer.write(records) { [unread] outcome in
            switch outcome {
            case .success(let places):
                for (index, place) in places.enumerated() {
                    unread.settle(numbers[index].key, numbers[index].number, writes[index].value, at: place)
                }
                success(places)
            case .failure(let error):
                for write in numbers { unread.fail(write.key, write.number) }
                completion.finish(Problem.notWritten(error, records).response)
            }
        }
    }

    /// Waits for a merged position that says what the record says, or for the pipeline to have read the record.
    private func answerWithMerged(_ record: PositionRecord, _ place: RecordPlace, _ completion: HTTPCompletion) {
        let views = context.views
        let reader = PositionKey(of: record).reader
        let merged: @Sendable () -> StoredValue? = {
            views.positions(readerId: reader.readerId, configurationId: reader.configurationId)?.merged
        }
        context.waiters.wait(
            for: .positions(reader), place: place, until: context.clock.now + context.settings.waitMaximum,
            isSeen: { merged()?.covers(record) ?? false },
            completion: { outcome in
                guard outcome != .timedOut else { return completion.finish(Problem.notYet(place).response) }
                guard let value = merged() else { return completion.finish(.accepted(place)) }
                completion.finish(
                    .json(
                        200, value.bytes,
                        headers: [HTTPField("ETag", value.entityTag), HTTPField("Cache-Control", "no-store")]))
            })
    }
}
