import Access
import HTTPServer
import Messages
import RecordLog
import Timelines

/// Configurations that callers make, change and delete.
///
/// A caller that is confined to recipients changes what it sees. It makes configurations of its own recipients alone,
/// under ids that are one of them or begin with one and a slash: so no answer tells whether an id is in use that it may
/// not see.
final class ConfigurationWrites: Sendable {
    private let context: GatewayContext
    private let unread = UnreadWrites<TextKey, Parameters>()

    init(_ context: GatewayContext) {
        self.context = context
    }

    // MARK: - Requests

    func put(_ request: GatewayRequest) throws(Problem) -> HTTPAnswer {
        let body = try request.object()
        return try change(request) { _ in body }
    }

    func patch(_ request: GatewayRequest) throws(Problem) -> HTTPAnswer {
        let patch = ParameterValue.object(try request.object([MediaType.mergePatch, MediaType.json]))
        return try change(request) { (current) throws(Problem) in
            guard let current else { throw .notFound }
            guard case .object(let members) = ParameterValue.object(current).patched(with: patch) else {
                preconditionFailure("a patch that is an object gives an object")
            }
            return members
        }
    }

    func putMode(_ request: GatewayRequest) throws(Problem) -> HTTPAnswer {
        let body = try request.object()
        guard let mode = body["mode"], mode != .null else {
            throw .invalidFields([.init(field: "mode", message: "is missing")])
        }
        return try change(request) { (current) throws(Problem) in
            guard var members = current else { throw .notFound }
            members["mode"] = mode
            return members
        }
    }

    func delete(_ request: GatewayRequest) throws(Problem) -> HTTPAnswer {
        try context.requireReady()
        let isWaiting = try request.query.bool("wait") ?? false
        return request.answering { [self] (completion) throws(Problem) in
            let id = request["configurationId"]
            try unread.change { () throws(Problem) in
                guard let current = current(id) else { throw .notFound }
                try requireSight(of: id, current, request.caller)
                write(id, nil, completion) { [context] place in
                    guard isWaiting else { return completion.finish(.accepted(place)) }
                    context.waitForDeletion(of: id, at: place) { outcome in
                        completion.finish(
                            outcome == .timedOut ? Problem.notYet(place).response : HTTPResponse(204))
                    }
                }
            }
        }
    }

    // MARK: - Changes

    /// - Parameter make: gives the new configuration; called with the one before, `nil` if there is none.
    private func change(
        _ request: GatewayRequest, _ make: @escaping @Sendable (Parameters?) throws(Problem) -> Parameters
    ) throws(Problem) -> HTTPAnswer {
        try context.requireReady()
        let isWaiting = try request.query.bool("wait") ?? false
        return request.answering { [self] (completion) throws(Problem) in
            let id = request["configurationId"]
            try unread.change { () throws(Problem) in
                let current = current(id)
                try requireSight(of: id, current, request.caller)
                let members = try judged(make(current), id, request.caller)
                write(id, members, completion) { [self] place in
                    guard isWaiting else { return completion.finish(.accepted(place)) }
                    answerWithTimeline(id, place, request.caller, completion)
                }
            }
        }
    }

    /// The configuration as this server knows it, its own writes included.
    private func current(_ id: String) -> Parameters? {
        switch unread.latest(TextKey(id), isRead: isRead) {
        case .written(let members): members
        case .none: context.views.configuration(id)?.members
        }
    }

    private func isRead(_ place: RecordPlace) -> Bool {
        context.views.hasRead(.configurations, place.partition, place.offset)
    }

    private func requireSight(of id: String, _ current: Parameters?, _ caller: Caller) throws(Problem) {
        guard case .only(let allowed) = caller.recipients else { return }
        let recipient = current.map { $0.recipient(of: id) } ?? context.views.recipient(of: id)
        if let recipient {
            guard allowed.contains(recipient) else { throw .notFound }
        } else {
            // Whoever may write here learns nothing: the id is the caller's own.
            guard allowed.contains(where: { id.isSameByUTF8(as: $0) || id.utf8.starts(with: "\($0)/".utf8) }) else {
                throw .notFound
            }
        }
    }

    /// The members with the id of the path, if the pipeline can use them.
    private func judged(_ body: Parameters, _ id: String, _ caller: Caller) throws(Problem) -> Parameters {
        var members = body
        var errors: [Problem.FieldError] = []
        switch members["configurationId"] {
        case nil, .null?: break
        case .string(let named)? where named.isSameByUTF8(as: id): break
        case .number(let named)? where named.isSameByUTF8(as: id): break
        default: errors.append(.init(field: "configurationId", message: "must be the id of the path, or absent"))
        }
        members["configurationId"] = .string(id)
        // In files it stands for a tombstone.
        if members["deleted"] != nil {
            errors.append(.init(field: "deleted", message: "must be absent; DELETE deletes a configuration"))
            members["deleted"] = nil
        }
        var json = JSONWriter()
        json.value(.object(members))
        try context.requireSize(json.count)
        var judge = RecordJudge(.configurations, kinds: context.settings.kinds)
        errors += json.withUnsafeBytes { judge.problems(of: $0, key: nil) }.map { Problem.fieldError($0) }
        if case .only(let allowed) = caller.recipients, !allowed.contains(members.recipient(of: id)) {
            errors.append(
                .init(
                    field: "recipient", message: "must be a recipient of the caller's",
                    allowed: allowed.sorted { $0.precedesByUTF8($1) }))
        }
        guard errors.isEmpty else { throw .refused(errors) }
        return members
    }

    private func write(
        _ id: String, _ members: Parameters?, _ completion: HTTPCompletion,
        success: @escaping @Sendable (RecordPlace) -> Void
    ) {
        unread.compact(isRead: isRead)
        let value = members.map { members in
            var json = JSONWriter()
            json.value(.object(members))
            return json.bytes
        }
        let record = OutgoingRecord(topic: context.settings.topics.configurations, key: Array(id.utf8), value: value)
        let key = TextKey(id)
        let number = unread.begin(key, members)
        context.writer.write([record]) { [unread] outcome in
            switch outcome {
            case .success(let places):
                unread.settle(key, number, members, at: places[0])
                success(places[0])
            case .failure(let error):
                unread.fail(key, number)
                completion.finish(Problem.notWritten(error, [record]).response)
            }
        }
    }

    /// Answers with the committed timeline; a caller that may write alone gets the place of its record.
    private func answerWithTimeline(
        _ id: String, _ place: RecordPlace, _ caller: Caller, _ completion: HTTPCompletion
    ) {
        context.waitForTimeline(id, from: place) { outcome, timeline in
            guard outcome != .timedOut else { return completion.finish(Problem.notYet(place).response) }
            // Somebody else may have deleted it meanwhile.
            guard let timeline, caller.may(.read) else { return completion.finish(.accepted(place)) }
            completion.finish(
                .json(
                    200, timeline.value,
                    headers: [HTTPField("ETag", timeline.entityTag), HTTPField("Cache-Control", "no-store")]))
        }
    }
}

extension Parameters {
    /// The recipient that a configuration of this id names, as the pipeline reads it.
    fileprivate func recipient(of id: String) -> String {
        switch self["recipient"] {
        case .string(let named)?, .number(let named)?: named.isEmpty ? id : named
        default: id
        }
    }
}
