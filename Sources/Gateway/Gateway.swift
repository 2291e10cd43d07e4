// Gateway: the HTTP API: topics as views in memory, routes over them, and the records that requests write.
//
// It must not know librdkafka or the command line: it talks to the ports of RecordLog and to HTTPServer. Clocks and the
// server's settings are handed in.
//
// Begin with `GatewayContext`, which has all that a handler may use, and `GatewayRouter.routes`, the table of routes.
// Then follow a record: `Views/ViewReader` is the one thread that reads the topics; `TopicViews` holds what is in
// force; `Stream/EventStreams` sends changes on; `ViewWaiters` ends requests that wait for one. A request goes from the
// server to `GatewayRouter`, which knows the caller (Access) and the parameters, and on to a handler in `Routes`. What
// goes wrong is a `Problem`, thrown.
