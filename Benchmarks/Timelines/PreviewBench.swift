import Dispatch
import Messages
import Timelines

/// A configuration, an agenda, and what is timed of them.
struct PreviewBench {
    private let request: TimelineRequest
    private let json = Array(
        #"{"configurationId": "desk", "kind": "NextMeeting", "calendarIds": ["team"], "timeZone": "Europe/Berlin"}"#
            .utf8)

    /// The events are spread over the two local days of the window, some under way at the same time.
    init(events: Int) throws {
        let at = Instant(milliseconds: 1_795_154_400_000)
        var configuration = WidgetConfiguration(
            configurationId: "desk", kind: "NextMeeting", strategy: try TimelineStrategies.strategy(named: "events"))
        configuration.calendarIds = ["team"]
        configuration.timeZone = "Europe/Berlin"
        let occurrences = (0..<events).map { number in
            let start = at + .minutes(Int64(number) * 40 - 300)
            return Occurrence(
                calendarId: "team", uid: "event-\(number)@example.org", title: "Meeting number \(number)",
                location: "Room \(number % 7)", when: .timed(start: start, end: start + .minutes(55)))
        }
        request = TimelineRequest(configuration: configuration, occurrences: occurrences, at: at)
    }

    func timeline() -> Int {
        TimelineProvider.timeline(for: request).entries.count
    }

    func timelineAsJSON() -> Int {
        write(TimelineProvider.timeline(for: request), of: request.configuration)
    }

    func wholePreview() -> Int {
        var parser = JSONParser()
        let message = json.withUnsafeBytes { try? ConfigurationMessage.decode($0, with: &parser) }
        guard case .usable(let configuration)? = message else {
            preconditionFailure("The benchmark's configuration is right.")
        }
        var request = request
        request.configuration = configuration
        return write(TimelineProvider.timeline(for: request), of: configuration)
    }

    private func write(_ timeline: Timeline, of configuration: WidgetConfiguration) -> Int {
        let record = TimelineRecord(
            configurationId: configuration.configurationId, kind: configuration.kind, family: configuration.family,
            recipient: configuration.recipient, revision: 1, generatedAt: request.at, timeline: timeline,
            refreshCount: 1, sources: [])
        var json = JSONWriter()
        record.write(to: &json)
        return json.count
    }

    /// Prints and gives how often a second `work` is done: the best of five rounds of a second.
    func rate(_ name: String, _ work: () -> Int) -> Int {
        var best = 0.0
        var result = 0
        for _ in 0..<5 {
            let began = DispatchTime.now().uptimeNanoseconds
            var count = 0
            var elapsed: UInt64 = 0
            while elapsed < 1_000_000_000 {
                for _ in 0..<100 { result ^= work() }
                count += 100
                elapsed = DispatchTime.now().uptimeNanoseconds - began
            }
            best = max(best, Double(count) * 1e9 / Double(elapsed))
        }
        // The result is used, so that nothing is left out.
        let microseconds = (1e7 / best).rounded() / 10
        print("\(name): \(Int(best)) a second, \(microseconds) µs each\(result == .min ? "." : "")")
        return Int(best)
    }
}
