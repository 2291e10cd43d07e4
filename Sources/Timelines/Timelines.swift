// Timelines: what a widget shows and when, by rules T1 to T29 of Documentation/Rules. All of it is pure values and pure
// functions. It is a library product: what is public here is for other programs, as in Examples/Schedules.
//
// It must not know any other module of the project but Times: no Kafka, no wire format, no clock.
//
// Begin with `Making/TimelineProvider.swift`: a `TimelineRequest` goes in, a strategy of `Strategies` makes a
// `TimelineDraft` of it, the rules for every strategy (`Making/TimelineDraft+Rules.swift`) make a `Timeline` of
// `Entries`. `Schedules` has dates by Apple's names, `Time` local time, `Configuration` and `Options` what users
// choose. `Publication` says which revision a timeline gets and what is news, `Walk` goes through all timelines of a
// day.

/// Entries, policies and schedules have `Instant`s, `ElapsedTime`s and `LocalDate`s.
@_exported public import Times
