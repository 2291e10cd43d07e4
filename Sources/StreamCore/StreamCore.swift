// StreamCore: the pure, synchronous middle of the stream processor: topology, processors, state stores, timers, tasks.
//
// It must not know brokers, threads, locks, clocks, files or chance, nor what a topology is for: time comes as an
// `Instant`.
//
// Begin with `Topology` and `Processor`; `StreamTask` holds the processors of one task together:
// `(state, record | tick) → (state, outputs)`. `Stores` has the state stores with an overlay per transaction, `Bytes`
// the stored forms. The names are Kafka Streams': topology, processor, task, state store, changelog, punctuation,
// restore.
