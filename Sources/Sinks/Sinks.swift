// Sinks: programs at the end of the stream: timelines go to files and tables, reloads to devices and webhooks.
//
// It must not know how timelines are made, nor settings, signals and logs of the program: clocks, chance, HTTP and the
// question whether to stop come from outside. Everything is synchronous and belongs to one dedicated thread. A sink
// keeps its positions beside what it did, so that both are lost or kept together.
//
// Begin with Runner/SinkRunner.swift: it reads a topic and hands the records to a `SinkKind`. One is `TimelineWriter`,
// which drives a `TimelineSink` (`FilesSink`, `SQLiteSink`, `KafkaSink`); the other is `ReloadSender`, which hands what
// it reads to `Deliveries`. A `ReloadDestination` says what is sent for a reload and what an answer means:
// `APNsDestination`, `WebhookDestination`. What has to be known after a restart is in the target, or in a topic beside
// it: a `SinkLedger`.
