// Seeds: deterministic simulation. A seed draws a world (topology, members, settings, the probability of each fault),
// the world runs on a cluster in memory under a virtual clock, and checkers outside the system judge its topics alone.
//
// It must not know a real broker, the time of day or any chance but the seed's: the same seed and options give the same
// run, to the byte, in every process.
//
// Begin with `SeedRun`, which runs one seed: first a phase with faults (safety), then one without (liveness), judged by
// the virtual clock. `Draw` is what the seed decides, `Misfortune` what can happen, `World` where it happens. What runs
// is a `SystemUnderTest`: the ledger, which books every input and every message, or the real pipeline. `SeedBatch`
// adds runs up, and fails where an enabled fault never happened.
