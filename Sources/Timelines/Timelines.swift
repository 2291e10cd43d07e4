// Timelines: what a widget shows and when. Pure values and pure functions: entries, reload policies, strategies,
// widget families, local time. Imports nothing of the project, knows no Kafka and no clock.
//
// Start with `TimelineProvider.timeline(for:)`; the rules are those of STRATEGIES.md, section 1.
