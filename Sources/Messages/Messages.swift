// Messages: the contract on the wire (M1 to M13). Bytes to values and back, for every topic, with a reason
// that names the field where bytes cannot be read. Knows no Kafka: a header is a name and bytes, a topic a name.
//
// Start with `TelemetryReader` (the hot path: no object per message), `ConfigurationMessage`, `CalendarEventMessage`,
// `TimelineRecord` and `ReloadNotification`; `TopicNames` has the topics, `CloudEventHeaders` and `DeadLetterHeaders`
// what goes beside the values.
