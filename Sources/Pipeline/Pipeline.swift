// Pipeline: the topology of widgets, telemetry, calendars and readers' positions in, timelines and reloads out, and its
// processors.
//
// It must not know brokers, threads, clocks or files: processors are synchronous and pure but for their stores; time
// comes with the context, records and messages go through it.
//
// Begin with `Topology.widgets` below; DESIGN.md has the drawing that it prints. Each node has a folder: `Vehicles`,
// `Calendars`, `Configurations` (with `Positions`), `Reloads`; a processor's file reads downwards in the order in which
// a record goes through it. `Exchange` has the messages between nodes, `Names` all that a stored byte names.

import Messages
package import StreamCore

extension Topology {
    /// The flow of widgets:
    ///
    ///     vehicle.telemetry ────► vehicles ────────┐ status updates
    ///     calendar.events ──────► calendars ───────┤ agendas
    ///     widget.configurations ► configurations ◄─┘
    ///     timeline.positions ───►   │  ▲   ├────────────► timelines, one per configuration
    ///                               │  │   └────────────► timeline.positions.merged, one per reader and configuration
    ///                         offer │  │ announcement
    ///                               ▼  │
    ///                             reloads ──────────────► timeline.reloads, one per recipient and kind
    ///
    /// Configurations subscribe at the tasks of their vehicle and calendars; those send updates. Every record that
    /// cannot be read goes to the dead letters.
    package static func widgets(_ settings: PipelineSettings) -> Topology {
        let topics = settings.topics
        return Topology(
            sources: [
                Source(topic: topics.telemetry, to: NodeName.vehicles, readingOrder: 2),
                Source(topic: topics.calendarEvents, to: NodeName.calendars, readingOrder: 1),
                Source(topic: topics.configurations, to: NodeName.configurations, readingOrder: 0),
                // Last: places are described by the timelines of all that is known.
                Source(
                    topic: topics.positions, to: NodeName.configurations, readingOrder: 3, isAddition: true,
                    isRead: settings.stateFormat.map { $0 >= 2 } ?? true),
            ],
            nodes: [
                // A record that cannot be read is reported to the task that owns the vehicle or calendar of its key.
                Node(
                    NodeName.vehicles, sends: [NodeName.configurations.number, NodeName.vehicles.number],
                    writes: [.deadLetters], timersAfter: 2
                ) {
                    VehicleProcessor(settings)
                },
                Node(
                    NodeName.calendars, sends: [NodeName.configurations.number, NodeName.calendars.number],
                    writes: [.deadLetters]
                ) {
                    CalendarProcessor(settings)
                },
                Node(
                    NodeName.configurations,
                    sends: [NodeName.vehicles.number, NodeName.calendars.number, NodeName.reloads.number],
                    writes: [.timelines, .positionsMerged, .deadLetters]
                ) {
                    ConfigurationProcessor(settings)
                },
                Node(NodeName.reloads, sends: [NodeName.configurations.number], writes: [.reloads]) {
                    ReloadProcessor(settings)
                },
            ],
            outputs: [topics.timelines, topics.reloads, topics.deadLetters, topics.positionsMerged],
            counters: CounterName.all.count,
            clockTolerance: settings.pause, stateFormat: settings.stateFormat.map { UInt8($0) })
    }
}
