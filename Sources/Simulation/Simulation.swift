// Simulation: the log's ports in memory, with Kafka's semantics where exactly-once depends on them, so that tests drive
// several stream threads step by step in one thread, without a broker and without time passing.
//
// It must not know what it is used for: it has topics and bytes, no processors and no messages. It has no randomness:
// the same calls in the same order, and the same answers of the `FaultPlan`, give the same results. Its time is that of
// a `ManualClock`, which moves when the test moves it, and while a call takes time.
//
// Begin with `MemoryCluster`, which tests hold, and `MemoryProcess`, whose ports die and stop together. `FaultKind`
// lists what can go wrong, `FaultPlan` decides it. `Broker` is the state behind: plain values without callbacks.
//
// What is as in Kafka: transaction markers take up offsets, read_committed stops at the last stable offset, epochs
// fence, the coordinator ends transactions that last too long, offsets travel in transactions and are unstable until
// those end, a stale member's offsets are refused, cooperative rebalancing moves only what must move. A decision may
// come before its markers: then the id's next transaction and its next initialise meet CONCURRENT_TRANSACTIONS. Members
// without heartbeats are thrown out after the session time-out; a static one (KIP-345) keeps its place until then, and
// whoever takes its name over fences it. A deleted topic takes the groups' offsets with it. The log cleaner keeps
// tombstones and markers for delete.retention.ms after it has first met them (KIP-534).
// What is as in librdkafka: the rebalance runs inside `poll`, which loses records of kept partitions (R1); ends are
// reported once each; an empty transaction never meets the coordinator; fenced is for ever. Heartbeats are sent by a
// thread of the client's own, so only a stopped process misses them; one that does not poll for max.poll.interval.ms
// leaves its group by itself. A commit that has got no answer goes on in the background, and the same call again waits
// for it. A position that retention has passed is set to the earliest record, without a word.
//
// What is simpler: a produce takes effect before it returns unless a fault makes it late; a call waits for brokers only
// if the cluster's settings or a fault say so, and otherwise fails at once; work in the background is done within a
// call of its thread; a transaction that lasts too long is aborted at once and not in the coordinator's next round of
// ten seconds; retention stops at the last stable offset; there is one replica, one group coordinator and one
// transaction coordinator; brokers verify a partition before the first write of a transaction (KIP-890, part 1), so
// that no late write leaves a transaction that nobody ends.
