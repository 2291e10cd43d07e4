import Access
import Messages

/// Configurations, telemetry, events and requests for reloads, for those who have no Kafka client.
extension Route {
    static func writes(_ context: GatewayContext) -> [Route] {
        let configurations = ConfigurationWrites(context)
        let data = DataWrites(context)
        let reloads = ReloadWrites(context)
        return [
            Route(.put, "/v1/configurations/{configurationId}", scope: .write, query: ["wait"], configurations.put),
            Route(.patch, "/v1/configurations/{configurationId}", scope: .write, query: ["wait"], configurations.patch),
            Route(
                .delete, "/v1/configurations/{configurationId}", scope: .write, query: ["wait"], configurations.delete),
            Route(
                .put, "/v1/configurations/{configurationId}/mode", scope: .write, query: ["wait"],
                configurations.putMode),
            Route(.post, "/v1/telemetry", scope: .write) { request throws(Problem) in
                try data.post(request, .telemetry)
            },
            Route(.post, "/v1/events", scope: .write) { request throws(Problem) in
                try data.post(request, .calendarEvents)
            },
            Route(.delete, "/v1/events/{calendarId}/{uid}", scope: .write, query: ["recurrenceId"], data.deleteEvent),
            Route(.post, "/v1/reloads", scope: .write, reloads.post),
        ]
    }
}
