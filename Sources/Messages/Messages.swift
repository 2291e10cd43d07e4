// Messages: the contract on the wire (M1 to M14), from bytes to values and back, for every topic.
//
// It must not know Kafka, threads or clocks: a header is a name and bytes, a topic is a name. It decides nothing about
// timelines; it only says why bytes cannot be read, by the name of the field.
//
// Begin with `Contract.swift`, which has the topics and the versions. Then follow the data: `Telemetry/TelemetryReader`
// (the hot path: no object for a message), `Calendars/CalendarEventMessage`, `Configurations/ConfigurationMessage` and
// `Positions/PositionRecord+JSON` read inputs, with `JSON/MessageFields` for every field. `Outputs` has
// `TimelineRecord`, `ReloadNotification` and the headers beside them; `JSON/JSONWriter` writes them. `Schema` writes
// the schemas of what is declared in code: strategies and kinds.
