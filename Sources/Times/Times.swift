// Times: the one type of an instant, the one of elapsed time, and the days and wall-clock times that their texts need.
//
// It must not know zones, clocks or any other module of the project. Zones and local calendars stay in Timelines: they
// come from Foundation, have tables of a hundred years, and only rules of timelines ask for them (T10). RecordLog and
// Timelines re-export this module, so that nothing else names it.
//
// Begin with `Instant` and `ElapsedTime`. There are four types for time in the project, each for one thing:
//
// - `Instant`: a point in time. Record timestamps, timers, entries, everything that a processor reckons with.
// - `ElapsedTime`: the difference of two instants.
// - Swift's `Duration`: waiting on a monotonic clock, at ports and in threads only (`timeout: Duration`).
//   `Duration(_:)` and `ElapsedTime(_:)` convert where a timer becomes a time-out.
// - Foundation's `Date`: at the edge only, where a framework asks for it: WidgetKit's schedules, the system's clock.
