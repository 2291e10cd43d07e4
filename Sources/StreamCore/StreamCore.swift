// StreamCore: the pure, synchronous middle of the stream processor. A topology of sources and processors, typed state
// stores with an overlay per transaction, changelog capture, timers, and the task that holds them together:
// `(state, record | tick) → (state, outputs)`. No I/O, no locks, no clock, no randomness: time comes as a number.
//
// The names are Kafka Streams': topology, processor, task, state store, changelog, punctuation, restore.
