import HTTPServer
import Messages

/// The state of the server for supervisors. No credential is needed; a no has its reason, and nothing else is told.
extension Route {
    static func health(_ context: GatewayContext) -> [Route] {
        [
            Route(.get, "/health/live", scope: nil) { _ in
                .now(status("live"))
            },
            Route(.get, "/health/startup", scope: nil) { _ throws(Problem) in
                try context.requireReady()
                return .now(status("started"))
            },
            Route(.get, "/health/ready", scope: nil) { _ throws(Problem) in
                if let reason = context.unreadiness { throw .unavailable(reason) }
                return .now(status("ready"))
            },
        ]
    }

    private static func status(_ name: StaticString) -> HTTPResponse {
        .json(headers: [HTTPField("Cache-Control", "no-store")]) { json in
            json.beginObject()
            json.string("status", "\(name)")
            json.endObject()
        }
    }
}

extension GatewayContext {
    /// - Throws: 503 before the topics were read to the ends that they had at the start: what is there could be missed.
    package func requireReady() throws(Problem) {
        guard views.isReady else { throw .unavailable(Self.unread) }
    }

    /// A sentence that says why no more clients should come; `nil` if they may.
    package var unreadiness: String? {
        if !views.isReady { return health.topicTrouble ?? Self.unread }
        if health.isStopping { return "The server is about to end." }
        if health.isOutage(at: clock.now) { return "The brokers are away; what is served may be old." }
        return health.topicTrouble
    }

    private static let unread = "The topics are not read yet."
}
