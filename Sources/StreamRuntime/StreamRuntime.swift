// StreamRuntime: what makes tasks run on a log, exactly once. A stream thread owns one group consumer, one
// transactional producer and its tasks; its one iteration is poll, restore, process, punctuate, commit. It meets the
// log through the ports of RecordLog alone, so the same code runs on librdkafka and in the simulation.
//
// The rules of the runtime, R1 to R13, are in DESIGN.md; the code names the rule where it follows one.
