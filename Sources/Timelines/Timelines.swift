// Timelines: what a widget shows and when. Pure values and pure functions: entries, reload policies, strategies,
// widget families, local time. Imports nothing of the project, knows no Kafka and no clock.
//
// Start with `TimelineProvider.timeline(for:)`; its rules are T1 to T29 of Documentation/Rules.

/// Entries, policies and schedules have `Instant`s, `ElapsedTime`s and `LocalDate`s.
@_exported public import Times
