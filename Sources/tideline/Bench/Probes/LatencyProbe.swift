import Foundation

/// The time from a vehicle's change to the committed timeline that shows it, at a steady rate of changes.
///
/// Each of its vehicles changes its status in turn; one whose last change is not answered yet is passed over.
final class LatencyProbe {
    private let probe: TimelineProbe
    /// The last status of each vehicle, by its number here.
    private var statuses = Array(repeating: 0, count: vehicles)
    /// When the changes were sent that nobody has answered yet, by configuration.
    private var waiting: [String: (index: Int, sent: Duration)] = [:]
    private var latencies: [Double] = []

    static let vehicles = 200
    /// Changes in a second.
    static let rate = 200
    /// The probe has vehicles of its own, with numbers from here.
    private static let base = 90_000_000
    private static let names = ["IgnitionOff", "Moving"]
    private static let texts = names.map { Array(#""status":"\#($0)""#.utf8) }
    private static let warmUpMax = Duration.seconds(60)
    private static let patience = Duration.seconds(5)

    /// What the changes of a stretch of time met.
    struct Result {
        /// In milliseconds.
        var latencies: [Double]
        var unanswered: Int
    }

    init(_ probe: TimelineProbe) {
        self.probe = probe
    }

    /// Sends each vehicle's widget and first report, and waits until a timeline shows it.
    ///
    /// - Returns: false if not all timelines came within a minute.
    func warmUp() throws(CommandFailure) -> Bool {
        for index in 0..<Self.vehicles { try probe.sendConfiguration(Self.base + index) }
        for index in 0..<Self.vehicles { try send(index, status: 0) }
        let deadline = WallClock.uptime() + Self.warmUpMax
        while !waiting.isEmpty, !Signals.isStopRequested {
            guard WallClock.uptime() < deadline else { return false }
            try receive(for: .milliseconds(50))
        }
        return !Signals.isStopRequested
    }

    /// Changes vehicles for so long, and waits for the last answers.
    func run(for time: Duration) throws(CommandFailure) -> Result {
        latencies = []
        waiting = [:]
        let begin = WallClock.uptime()
        var (turn, now) = (0, begin)
        while now < begin + time || (!waiting.isEmpty && now < begin + time + Self.patience) {
            if Signals.isStopRequested { break }
            while now < begin + time, begin + .seconds(1) * turn / Self.rate <= now {
                let index = turn % Self.vehicles
                if waiting[Self.configurationId(index)] == nil { try send(index, status: 1 - statuses[index]) }
                turn += 1
            }
            try receive(for: .milliseconds(1))
            now = WallClock.uptime()
        }
        return Result(latencies: latencies, unanswered: waiting.count)
    }

    private static func configurationId(_ index: Int) -> String { BenchWidgets.configurationId(base + index) }

    private func send(_ index: Int, status: Int) throws(CommandFailure) {
        statuses[index] = status
        waiting[Self.configurationId(index)] = (index, WallClock.uptime())
        try probe.sendReport(of: Self.base + index, status: Self.names[status])
    }

    private func receive(for timeout: Duration) throws(CommandFailure) {
        try probe.receive(for: timeout) { arrival in
            guard let (index, sent) = waiting[arrival.configurationId],
                arrival.holds(Self.texts[statuses[index]])
            else { return }
            latencies.append((WallClock.uptime() - sent) / .milliseconds(1))
            waiting[arrival.configurationId] = nil
        }
    }
}
