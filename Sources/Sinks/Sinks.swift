// Sinks: programs at the end of the stream: timelines go to files, tables, keys and over HTTP, reloads to devices,
// webhooks and tables.
//
// It must not know how timelines are made, nor settings, signals and logs of the program: clocks, chance, HTTP and the
// question whether to stop come from outside. Everything is synchronous and belongs to one dedicated thread. A sink
// keeps its positions beside what it did, so that both are lost or kept together.
//
// Begin with Runner/SinkRunner.swift: it reads a topic and hands the records to a `SinkKind`. One is `TimelineWriter`,
// which drives a `TimelineSink` (`FilesSink`, `SQLiteSink`, `PostgresSink`, `RedisSink`, `KafkaSink`, `LinesSink`; for
// reloads `SQLiteReloadSink` and `PostgresReloadSink`): a place that answers at once, or a batch later
// (`DeferredCommitSink`), and holds its positions. The other is `DeliverySender`, for whoever answers each request
// in its own time: it hands what it reads to `Deliveries`, in lanes. A `DeliveryDestination` says what is sent for a
// record and what an answer means: `APNsDestination` and `WebhookDestination` for reloads, `HTTPTimelines` for
// timelines. What has to be known after a restart is in the target, or in a topic beside it: a `SinkLedger`.
