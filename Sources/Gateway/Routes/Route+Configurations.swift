import Access
import HTTPServer
import Messages
package import Timelines

/// Configurations as they were published, without secrets.
extension Route {
    static func configurations(_ context: GatewayContext) -> [Route] {
        [
            .get("/v1/configurations", query: ["limit", "after"]) { request throws(Problem) in
                let (limit, after) = (try request.query.limit(), try request.query.text("after"))
                try context.requireReady()
                let (configurations, hasMore) = context.views.configurations(
                    recipients: request.caller.recipients, after: after, limit: limit)
                return .now(
                    .json(headers: [HTTPField("Cache-Control", "private, no-cache")]) { json in
                        json.beginObject()
                        json.array("items", configurations) { json, item in json.object(item.published) }
                        if hasMore { json.string("next", configurations.last?.configurationId) }
                        json.endObject()
                    })
            },
            .get("/v1/configurations/{configurationId}") { request throws(Problem) in
                let configuration = try context.configuration(for: request)
                return try request.answer(configuration.entityTag) { .json { $0.object(configuration.published) } }
            },
        ]
    }
}

extension GatewayContext {
    /// The configuration that a request's path names.
    ///
    /// - Throws: 404 if there is none, or the caller may not see it; 503 before the topics were read.
    package func configuration(for request: GatewayRequest) throws(Problem) -> StoredConfiguration {
        try requireReady()
        guard let configuration = views.configuration(request["configurationId"]),
            request.caller.recipients.contains(configuration.recipient)
        else { throw .notFound }
        return configuration
    }
}

extension StoredConfiguration {
    /// The tag of the record, not of its bytes: it tells nothing about the token that they hold.
    package var entityTag: String {
        "\"\(value.place.partition)-\(value.place.offset)-\(value.timestamp.milliseconds)\""
    }

    /// The members of the record as they may leave the server. Of `push` it is topic and environment alone: whoever has
    /// its token and a key of the team can push.
    package var published: Parameters {
        var members = members
        if case .object(let push) = members["push"] {
            members["push"] = .object(Parameters(push.members.filter { ["environment", "topic"].contains($0.key) }))
        } else {
            members["push"] = nil
        }
        return members
    }

    /// All members of the record, secrets included: for changes that keep them.
    package var members: Parameters {
        var parser = JSONParser()
        return value.bytes.withBytes { (try? parser.object($0)) ?? Parameters() }
    }
}
