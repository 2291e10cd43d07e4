// StreamRuntime: stream threads. They read partitions for tasks of StreamCore, take tasks over, commit in transactions
// and recover from failures: the rules R1 to R13 of DESIGN.md.
//
// It must not know an application: a `Topology` comes from outside, and so do the clock and the cluster. It knows no
// client library, only the ports of RecordLog, so every rule is tested in memory.
//
// Begin with `StreamThread.runOnce`, one iteration: poll, restore, process, punctuate, commit, each in the file
// `StreamThread+…` of its name. What changes meanwhile is the list of values in `StreamThread`, each with its rules in
// a file of its own. `StreamApplication` runs several threads; `InternalTopics` makes the topics that they need.
