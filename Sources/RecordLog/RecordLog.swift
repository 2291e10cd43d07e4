// RecordLog: the values and ports through which everything else meets a partitioned log of records: topic-partitions,
// offsets, records, headers; consumer, transactional producer, plain producer and admin; their errors.
//
// Two implementations: RdKafka (librdkafka, real brokers) and Simulation (in memory). Every call here is synchronous
// and belongs to the thread that owns the port; nothing here may be called on Swift's cooperative pool if it blocks.

/// Timestamps of records are `Instant`s.
@_exported public import Times
