import Access
import HTTPServer
import Times

/// Changes as server-sent events.
extension Route {
    static func stream(_ context: GatewayContext) -> [Route] {
        [
            .get(
                "/v1/stream", query: ["types", "configurationId", "recipient", "kind", "readerId", "lastEventId"]
            ) { request throws(Problem) in
                let query = request.query
                let filter = StreamFilter(
                    types: try query.names("types", of: StreamFilter.EventType.self)
                        ?? StreamFilter.EventType.allCases,
                    configurationId: try query.text("configurationId"), recipient: try query.text("recipient"),
                    kind: try query.text("kind"), readerId: try query.text("readerId"),
                    recipients: request.caller.recipients, readers: request.caller.readers)
                let position = try position(request)
                try context.requireReady()
                let now = context.clock.wall.milliseconds
                let lifetime = request.caller.expiry.map { Duration.milliseconds(max(0, Int64($0) * 1000 - now)) }
                return .events(try context.streams.open(filter, after: position, lifetime: lifetime, context.views))
            }
        ]
    }

    /// The position of the client: the header that a browser sends when it comes back, or else the parameter.
    private static func position(_ request: GatewayRequest) throws(Problem) -> OffsetVector? {
        let parameter = try request.query.text("lastEventId")
        let header = request.http.header("Last-Event-ID").flatMap { $0.isEmpty ? nil : $0 }
        guard let text = header ?? parameter else { return nil }
        guard let position = OffsetVector(text: text) else {
            throw .invalidParameter(
                header == nil ? "lastEventId" : "Last-Event-ID", "must be the id of an event of this API")
        }
        return position
    }
}
