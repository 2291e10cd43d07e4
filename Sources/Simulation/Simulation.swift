// Simulation: the log's ports in memory, with Kafka's semantics where exactly-once depends on them, so that tests drive
// several stream threads step by step in one thread, without a broker and without time passing.
//
// It must not know what it is used for: it has topics and bytes, no processors and no messages. It has no clock of its
// own and no randomness: the same calls in the same order give the same results.
//
// Begin with `MemoryCluster`, which tests hold. `Broker` is the state behind it: plain values without callbacks.
//
// What is as in Kafka: transaction markers take up offsets, read_committed stops at the last stable offset, epochs
// fence, the coordinator ends transactions that last too long, offsets travel in transactions and are unstable until
// those end, a stale member's offsets are refused, cooperative rebalancing moves only what must move.
// What is as in librdkafka: the rebalance runs inside `poll`, which loses records of kept partitions (R1); ends are
// reported once each; an empty transaction never meets the coordinator; fenced is for ever.
//
// What is simpler: a call takes effect before it returns, so a produce fails at once and not at its delivery report;
// no call waits, whatever its time-out; there is one replica, and no broker fails unless a test injects the failure.
