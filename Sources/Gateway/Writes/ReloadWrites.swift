import Access
import HTTPServer
import Messages
package import RecordLog
import Timelines

/// Makes the records by which the pipeline is asked for reloads. Their form and their topic are the pipeline's own.
package protocol ReloadRequests: Sendable {
    /// Makes the records that ask every task of the pipeline.
    ///
    /// - Parameters:
    ///   - recipients: only these; `nil` stands for all.
    ///   - completion: called once, on any thread, with the records, or with the reason why nobody can be asked.
    func make(
        kind: String, recipients: [String]?,
        completion: @escaping @Sendable (Result<[OutgoingRecord], LogError>) -> Void)
}

/// Requests for reloads: `tideline reload` over HTTP.
final class ReloadWrites: Sendable {
    private let context: GatewayContext

    init(_ context: GatewayContext) {
        self.context = context
    }

    /// The recipients of a kind, each with the number of its configurations.
    private struct Found {
        var recipients: [(recipient: String, configurations: Int)]
        var skipped: Int

        var configurations: Int { recipients.reduce(0) { $0 + $1.configurations } }
    }

    func post(_ request: GatewayRequest) throws(Problem) -> HTTPAnswer {
        let (kind, wanted) = try Self.read(request.object())
        try context.requireReady()
        guard let reloads = context.reloads else { throw .unavailable("The pipeline cannot be asked.") }
        let found = try find(kind, wanted, request.caller)
        // Only the recipients that are named or seen, but for whoever means all and may see them all.
        let isForAll = wanted == nil && request.caller.recipients == .all
        let recipients = isForAll ? nil : found.recipients.map(\.recipient)
        return request.answering { [context] (completion) throws(Problem) in
            reloads.make(kind: kind, recipients: recipients) { outcome in
                let records: [OutgoingRecord]
                switch outcome {
                case .success(let made): records = made
                case .failure(let error):
                    return completion.finish(
                        Problem.unavailable("The pipeline cannot be asked: \(error.name).").response)
                }
                context.write(records, completion) { _ in
                    completion.finish(
                        .json(202, headers: [HTTPField("Cache-Control", "no-store")]) { json in
                            json.beginObject()
                            json.string("kind", kind)
                            json.integer("recipients", found.recipients.count)
                            json.integer("configurations", found.configurations)
                            json.integer("skipped", found.skipped)
                            json.endObject()
                        })
                }
            }
        }
    }

    private static func read(_ body: Parameters) throws(Problem) -> (kind: String, recipients: [String]?) {
        var errors: [Problem.FieldError] = []
        var kind = ""
        switch body["kind"] {
        case .string(let text)? where !text.isEmpty: kind = text
        case nil, .null?: errors.append(.init(field: "kind", message: "is missing"))
        default: errors.append(.init(field: "kind", message: "must be text that is not empty"))
        }
        var recipients: [String]?
        switch body["recipients"] {
        case nil, .null?: break
        case .array(let elements)? where !elements.isEmpty:
            recipients = []
            for (index, element) in elements.enumerated() {
                if case .string(let text) = element, !text.isEmpty {
                    if recipients?.contains(text) == false { recipients?.append(text) }
                } else {
                    errors.append(
                        .init(field: "recipients[\(index)]", message: "must be text that is not empty"))
                }
            }
        default: errors.append(.init(field: "recipients", message: "must be a list of one text or more"))
        }
        guard errors.isEmpty else { throw .refused(errors) }
        return (kind, recipients)
    }

    /// - Throws: 422 if the caller sees no timeline of the kind.
    private func find(_ kind: String, _ wanted: [String]?, _ caller: Caller) throws(Problem) -> Found {
        var counts: [TextKey: Int] = [:]
        var after: String?
        repeat {
            let page = context.views.timelines(
                kind: kind, recipients: caller.recipients, after: after, limit: 500)
            for timeline in page.timelines { counts[TextKey(timeline.recipient), default: 0] += 1 }
            after = page.hasMore ? page.timelines.last?.configurationId : nil
        } while after != nil
        guard !counts.isEmpty else {
            let kinds = context.views.kinds(recipients: caller.recipients)
            throw .invalidFields([
                .init(field: "kind", message: "no timeline is of this kind", allowed: kinds.isEmpty ? nil : kinds)
            ])
        }
        let names = wanted?.map { TextKey($0) } ?? Array(counts.keys)
        let found = names.sorted().compactMap { name in counts[name].map { (name.text, $0) } }
        guard !found.isEmpty else {
            throw .invalidFields([.init(field: "recipients", message: "none of them has a timeline of this kind")])
        }
        return Found(recipients: found, skipped: names.count - found.count)
    }
}
