// Pipeline: the one page that shows the topology, and its processors.
//
//  vehicle.telemetry ────► vehicles ─────────┐ status updates
//  calendar.events ──────► calendars ────────┤ agendas
//  widget.configurations ► configurations ◄──┘
//                             │       └──────────► timelines, one per configuration
//                            ▲│ what is new to see
//                  announced ││
//                            │▼
//                            reloads ────────────► timeline.reloads, one per recipient and kind, within the budget
//  what cannot be read ──────────────────────────► tideline.dead-letters
//
// Configurations subscribe at the tasks of their vehicle and calendars; those send what is to be seen. Processors are
// synchronous and pure but for their stores: time comes with the context, records and messages go through it.

package import Messages
package import StreamCore
package import Timelines

/// What the pipeline is told from outside.
package struct PipelineSettings: Sendable {
    package var topics: TopicNames
    /// CloudEvents' `source` of what is written.
    package var eventSource: String
    /// The declared ones (M6).
    package var kinds = WidgetKinds()
    /// What holds for every kind that says nothing else (L1 to L9).
    package var reload = WidgetKind.Reload()
    /// A record with a larger value is a dead letter (R11).
    package var recordBytesMax = 1 << 20
    /// A larger timeline becomes an `error` timeline.
    package var timelineBytesMax = 1_000_000
    /// A dead letter that would be larger keeps its headers, but not its value.
    package var deadLetterBytesMax = (1 << 20) + 60_000
    /// A timer that fires later than this after its due date has slept through a pause: its timeline is made for now
    /// (T12); a clock that goes back by more has jumped.
    package var pause: ElapsedTime = .minutes(1)
    /// The work of renewals that are due at one instant is spread over so long after it; if it is zero, none waits.
    package var spread: ElapsedTime = .zero
    /// Telemetry whose `observedAt` lies further after its arrival counts as observed at its arrival; nil: all counts
    /// as it says.
    package var telemetryFuture: ElapsedTime? = .minutes(5)
    /// What makes content.
    package var contentRules = ContentRules.current
    /// Whether every start begins with the same time again (V4): then due times in state stay.
    package var startsClockAnew = false
    /// Whether the run ends when it has caught up: then timelines are brought up to all that is known.
    package var leavesWhenCaughtUp = false
    /// Called on the task's thread for each series of a calendar that is expanded, which is what calendars cost.
    package var onExpansion: @Sendable (_ calendarId: String, _ uid: String) -> Void = { _, _ in }

    package init(topics: TopicNames = TopicNames(), application: String = "tideline") {
        self.topics = topics
        eventSource = "/" + application
    }
}

/// The processors by their numbers, which exchange messages carry: never to be changed.
enum NodeID {
    static let vehicles = 0
    static let calendars = 1
    static let configurations = 2
    static let reloads = 3
}

/// The output topics by their place in the topology.
package enum Output {
    package static let timelines = 0
    package static let reloads = 1
    package static let deadLetters = 2
}

/// The state stores by their numbers in the changelog: never to be changed, 0 is taken by the positions.
enum StoreID {
    static let vehicles: UInt8 = 1
    static let vehicleSubscriptions: UInt8 = 2
    static let calendarRecords: UInt8 = 3
    static let calendars: UInt8 = 4
    static let calendarSubscriptions: UInt8 = 5
    static let configurations: UInt8 = 6
    static let subscriptionCounter: UInt8 = 7
    static let reloadGatherings: UInt8 = 8
    static let reloadBudgets: UInt8 = 9
}

extension Topology {
    /// Telemetry and calendars in, timelines and reloads out.
    package static func widgets(_ settings: PipelineSettings) -> Topology {
        Topology(
            sources: [
                Source(topic: settings.topics.telemetry, node: NodeID.vehicles, readingOrder: 2),
                Source(topic: settings.topics.calendarEvents, node: NodeID.calendars, readingOrder: 1),
                Source(topic: settings.topics.configurations, node: NodeID.configurations, readingOrder: 0),
            ],
            nodes: [
                Node(name: "vehicles") { VehicleProcessor(settings) },
                Node(name: "calendars") { CalendarProcessor(settings) },
                Node(name: "configurations") { ConfigurationProcessor(settings) },
                Node(name: "reloads") { ReloadProcessor(settings) },
            ],
            outputs: [settings.topics.timelines, settings.topics.reloads, settings.topics.deadLetters],
            clockTolerance: settings.pause, startsClockAnew: settings.startsClockAnew)
    }
}
