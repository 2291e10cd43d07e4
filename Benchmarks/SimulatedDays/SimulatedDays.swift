// SimulatedDays: a day of a fleet under a virtual clock, and an independent checker of what recipients are told.
//
//  FleetDay ──inputs──► VirtualTasks ──outputs──► ReloadChecker, RecordTrace
//                         ▲
//                   Interruptions
//
// `FleetDay` draws the inputs of a day from a seed. `VirtualTasks` are the tasks of the widgets topology, driven
// directly: no thread, no log, the clock jumps from one thing that happens to the next. `Interruptions` throw tasks
// away and have them restored from their changelogs. `ReloadChecker` reads what was published and announced, and works
// out by rules of its own, from the records alone, whether each reload was due (T6 and 4).
//
// The program `day-benchmark` runs a day of full size, the tests small ones.
