/// The table of all routes. Each list stands in a file of its own, beside the handlers.
extension GatewayRouter {
    package static func routes(_ context: GatewayContext) -> [Route] {
        Route.health(context) + Route.timelines(context) + Route.entries(context) + Route.calendars(context)
            + Route.reloads(context) + Route.kinds(context) + Route.configurations(context) + Route.stream(context)
            + Route.writes(context) + Route.positions(context) + Route.document()
    }
}
