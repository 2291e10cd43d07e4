package import Messages
package import Positions
import StreamCore
package import Timelines

/// The settings of the pipeline.
package struct PipelineSettings: Sendable {
    package var topics: TopicNames
    /// CloudEvents' `source` of what is written.
    package var eventSource: String
    /// The declared ones (M6).
    package var kinds = WidgetKinds()
    /// The terms of every kind that declares no others (L1 to L9).
    package var reload = WidgetKind.Reload()
    /// A record with a larger value is a dead letter (R11).
    package var recordBytesMax = 1 << 20
    /// The bytes of a record that the exchange and the changelog take; what may not fit is refused by name (R11).
    package var internalBytesMax = 8 << 20
    /// A larger timeline becomes an `error` timeline.
    package var timelineBytesMax = 1_000_000
    /// A reload that would be larger is divided.
    package var reloadBytesMax = 1_000_000
    /// A merged record that would be larger forgets what is oldest.
    package var positionsBytesMax = 1_000_000
    /// A dead letter that would be larger keeps its headers, but not its value.
    package var deadLetterBytesMax = (1 << 20) + 60_000
    /// A timer that fires later than this after its due date has slept through a pause: its timeline is made for now
    /// (T12); a clock that goes back by more has jumped.
    package var pause: ElapsedTime = .minutes(1)
    /// The work of renewals that are due at one instant is spread over so long after it; if it is zero, none waits.
    package var spread: ElapsedTime = .zero
    /// Telemetry whose `observedAt` lies further after its arrival counts as observed at its arrival; `nil` if all
    /// counts as it says.
    package var telemetryFuture: ElapsedTime? = .minutes(5)
    /// A vehicle without subscribers of which nothing came for so long is removed (R19).
    package var vehicleExpiry: ElapsedTime = .hours(30 * 24)
    /// The switches and bounds of readers' positions.
    package var positions = PositionSettings()
    /// The format that state and internal messages are raised to: 1 as before positions were read, 2 with them, 3 with
    /// versions; `nil` if state stays as it is found, and begins with the newest.
    package var stateFormat: Int?
    package static let newestStateFormat = Int(StateFormat.newest)
    /// The rules that make the content of timelines.
    package var contentRules = ContentRules.current
    /// True if every start begins with the same time again (V4): then due times in state stay.
    package var startsClockAnew = false
    /// True if the run ends when it has caught up: then timelines are brought up to all that is known.
    package var leavesWhenCaughtUp = false
    /// Called on the task's thread for each series of a calendar that is expanded, which is what calendars cost.
    package var onExpansion: @Sendable (_ calendarId: String, _ uid: String) -> Void = { _, _ in }
    /// Called on the task's thread for each configuration that is read from its state anew, which is what a restore and
    /// an abort cost.
    package var onReading: @Sendable (_ configurationId: String) -> Void = { _ in }

    package init(topics: TopicNames = TopicNames(), application: String = "tideline") {
        self.topics = topics
        eventSource = "/" + application
    }
}

// What is asked for each record, or each update, is inlined: a call would copy the settings.
extension PipelineSettings {
    /// True if an instant lies further ahead than clocks differ: it was used before the clock went back.
    @inline(__always)
    func isAhead(_ at: Instant, of now: Instant) -> Bool { at - now > pause }

    /// `at`, but `now` if `at` is ahead of it.
    @inline(__always)
    func notAhead(_ at: Instant, of now: Instant) -> Instant { isAhead(at, of: now) ? now : at }

    /// True if a step of the clock concerns what is in state. If every start begins with the same time, a state that
    /// is of a later time is none.
    @inline(__always)
    func concerns(_ step: ClockStep) -> Bool { step == .observed || !startsClockAnew }
}
