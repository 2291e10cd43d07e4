@testable import Sinks
import Testing

private typealias State = HostState<String>

@Suite("What a server's answers say of it")
struct HostStateTests {
    private static let limits = State.Limits(
        backoff: Backoff(), refusalsMax: 3, declinedMax: 3, absenceMin: .seconds(5))

    /// The text of a state and of an action are compared, so that a row shows all that changes.
    @Test(
        "an event leads from one state to another, and to what has to be done",
        arguments: rows + breakerRows + declinedRows + absenceRows)
    func transitions(row: Row) {
        var state = State()
        for (second, event) in row.before.enumerated() { _ = apply(event, at: second, to: &state) }
        let action = apply(row.event, at: row.before.count, to: &state)
        #expect(text(action) == row.action)
        #expect(text(state) == row.after)
    }

    struct Row: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// The first at 0 s, each a second after the one before.
        fileprivate var before: [HostState<String>.Event] = []
        /// A second after those.
        fileprivate var event: HostState<String>.Event
        var action: String
        var after: String
    }

    /// Without jitter a back-off is half of the full delay: 0.5 s, 1 s, 2 s, …
    private static let down = State.Event.unavailable(after: nil, jitter: 0)
    private static let refusal = State.Event.refused("p", reason: "bad")

    static let rows = [
        Row("a first delivery", event: .delivered, action: "none", after: "delivered 0"),
        Row("an answer about the parcel alone", event: .answered, action: "none", after: ""),
        Row(
            "a parcel that fails is told once", event: .failed(attempts: 1, after: nil, jitter: 0),
            action: "wait until 0.5, holding 0.5", after: "failing"),
        Row(
            "and waits longer each time, which is not told", before: [.failed(attempts: 1, after: nil, jitter: 0)],
            event: .failed(attempts: 2, after: nil, jitter: 0), action: "wait until 2.0", after: "failing"),
        Row(
            "as long as the server says, if that is longer", event: .failed(attempts: 1, after: .seconds(9), jitter: 0),
            action: "wait until 9.0, holding 9.0", after: "failing"),
        Row(
            "a delivery ends that", before: [.failed(attempts: 1, after: nil, jitter: 0), .delivered],
            event: .failed(attempts: 1, after: nil, jitter: 0), action: "wait until 2.5, holding 0.5",
            after: "failing, delivered 1"),
        Row(
            "a server that fails is paused", event: down, action: "wait until 0.5, holding 0.5",
            after: "paused until 0.5 for the 1. time, failing"),
        Row(
            "a failure within a pause waits for its end", before: [.unavailable(after: .seconds(9), jitter: 0)],
            event: down, action: "wait until 9.0", after: "paused until 9.0 for the 1. time, failing"),
        Row(
            "a failure after a pause begins a longer one, which is told", before: [down], event: down,
            action: "wait until 2.0, holding 1.0", after: "paused until 2.0 for the 2. time, failing"),
        Row("an answer ends a row of pauses", before: [down], event: .answered, action: "none", after: "failing"),
        Row(
            "so does the failure of a parcel", before: [down], event: .failed(attempts: 1, after: nil, jitter: 0),
            action: "wait until 1.5", after: "failing"),
        Row(
            "a server that turns all away is told once", event: .turnedAway(jitter: 0),
            action: "wait until 0.5, turned away",
            after: "paused until 0.5 for the 1. time, failing, turning away"),
        Row(
            "until it takes something", before: [.turnedAway(jitter: 0), .turnedAway(jitter: 0)], event: .delivered,
            action: "none", after: "delivered 2"),
        Row(
            "turned away again, after a longer pause", before: [.turnedAway(jitter: 0)], event: .turnedAway(jitter: 0),
            action: "wait until 2.0", after: "paused until 2.0 for the 2. time, failing, turning away"),
        Row("a refusal is doubted", event: refusal, action: "none", after: "doubts bad@0"),
        Row("and ends a row of pauses", before: [down], event: refusal, action: "none", after: "failing, doubts bad@1"),
        Row(
            "refusals for other reasons do not count together", before: [refusal, refusal],
            event: .refused("p", reason: "other"), action: "none", after: "doubts bad@0 bad@1 other@2"),
        Row(
            "so many for one reason end the run", before: [refusal, .refused("p", reason: "other"), refusal],
            event: refusal, action: "stop after 3", after: "doubts bad@0 other@1 bad@2 bad@3"),
        Row(
            "a delivery makes them believed, in their order", before: [refusal, .refused("q", reason: "other")],
            event: .delivered, action: "believe p: bad, q: other", after: "delivered 2"),
        Row(
            "and another row begins", before: [refusal, refusal, .delivered], event: refusal, action: "none",
            after: "delivered 2, doubts bad@3"),
        Row(
            "a failure leaves them doubted", before: [refusal], event: down, action: "wait until 1.5, holding 0.5",
            after: "paused until 1.5 for the 1. time, failing, doubts bad@0"),
        Row(
            "the end of doubts believes them", before: [refusal], event: .doubtsEnd, action: "believe p: bad", after: ""
        ),
        Row(
            "without doubts it does nothing", before: [down], event: .doubtsEnd, action: "none",
            after: "paused until 0.5 for the 1. time, failing"),
    ]

    private static func failure(_ lane: String, after: Duration? = nil) -> State.Event {
        .failed(attempts: 1, after: after, jitter: 0, lane: lane)
    }

    private static let dead = ["a", "b", "a", "b", "a"].map { failure($0) }

    static let breakerRows = [
        Row(
            "failures in a row open the breaker, which is told", before: Array(dead.dropLast()), event: failure("a"),
            action: "wait until 4.501, opened 0.5", after: "paused until 4.5 for the 1. time, failing, open"),
        Row(
            "those of one lane alone do not", before: Array(repeating: failure("a"), count: 9), event: failure("a"),
            action: "wait until 9.5", after: "failing"),
        Row(
            "nor do those before a delivery", before: Array(dead.dropLast()) + [.delivered], event: failure("a"),
            action: "wait until 5.5, holding 0.5", after: "failing, delivered 4"),
        Row(
            "a probe that fails begins a longer pause, and comes behind those that waited", before: dead,
            event: failure("b"), action: "wait until 6.001",
            after: "paused until 6.0 for the 2. time, failing, open"),
        Row("a delivery closes the breaker", before: dead, event: .delivered, action: "none", after: "delivered 5"),
        Row("so does an answer about a parcel", before: dead, event: .answered, action: "none", after: "failing"),
        Row(
            "a server that asks for time is paused at once", event: failure("a", after: .seconds(9)),
            action: "wait until 9.001, holding 9.0", after: "paused until 9.0 for the 1. time, failing"),
        Row(
            "whatever it takes meanwhile", before: [failure("a", after: .seconds(9))], event: .delivered,
            action: "none", after: "paused until 9.0 for the 1. time, failing, delivered 1"),
        Row(
            "for longer if it asks for that", before: [.unavailable(after: .seconds(5), jitter: 0)],
            event: failure("b", after: .seconds(9)), action: "wait until 10.001",
            after: "paused until 10.0 for the 1. time, failing"),
        Row(
            "one that is turned away alone waits alone", before: [.delivered],
            event: .turnedAwayAlone(attempts: 2, jitter: 0), action: "wait until 2.0", after: "delivered 0"),
    ]

    private static func declined(_ lane: String?, _ reason: String = "422", isOwn: Bool = false) -> State.Event {
        .declined(reason: reason, lane: lane, isOwn: isOwn, jitter: 0)
    }

    private static let declinedByAll = ["a", "b", "c"].map { declined($0) }

    static let declinedRows = [
        Row("a record that is refused for good is settled", event: declined("a"), action: "none", after: ""),
        Row(
            "so many in a row are not at fault, which is told", before: [declined("a"), declined("b")],
            event: declined("a"), action: "wait until 2.5, turned away",
            after: "paused until 2.5 for the 1. time, failing, turning away"),
        Row(
            "those of one lane alone are", before: Array(repeating: declined("a"), count: 9), event: declined("a"),
            action: "none", after: ""),
        Row(
            "those with different answers are", before: [declined("a"), declined("b")],
            event: declined("c", "other"), action: "none", after: ""),
        Row(
            "so are those after a delivery", before: [declined("a"), declined("b"), .delivered],
            event: declined("c"), action: "none", after: "delivered 2"),
        Row(
            "a failure between them ends no row", before: [declined("a"), declined("b"), down], event: declined("c"),
            action: "wait until 4.0, turned away",
            after: "paused until 4.0 for the 2. time, failing, turning away"),
        Row(
            "one that waited while the server took another is at fault", before: declinedByAll,
            event: declined("c", isOwn: true), action: "none", after: "failing, turning away"),
        Row(
            "a request with several counts for none", before: [declined("a"), declined("b")], event: declined(nil),
            action: "none", after: ""),
        Row(
            "and waits if they wait", before: declinedByAll, event: declined(nil), action: "wait until 4.0",
            after: "paused until 4.0 for the 2. time, failing, turning away"),
    ]

    private static func absent(
        since second: Int, deliveries: Int = 0, isOnly: Bool = true, attempts: Int = 2
    ) -> State.Event {
        let absence = Absence(since: .seconds(second), deliveries: deliveries)
        return .absent(absence, isOnly: isOnly, attempts: attempts, jitter: 0)
    }

    private static let answers = Array(repeating: State.Event.answered, count: 5)

    static let absenceRows = [
        Row(
            "what is not there is asked for again", before: [.delivered], event: absent(since: 1, deliveries: 1),
            action: "wait until 2.0", after: "delivered 0"),
        Row(
            "and is not there if the server has taken something meanwhile", before: [.delivered],
            event: absent(since: 0), action: "none", after: "delivered 0"),
        Row(
            "it is asked again when the time is over after which it is believed", before: answers,
            event: absent(since: 1, attempts: 9), action: "wait until 6.0", after: ""),
        Row("and is believed then", before: answers, event: absent(since: 0), action: "none", after: ""),
        Row(
            "but not while another request has failed", before: answers, event: absent(since: 0, isOnly: false),
            action: "wait until 6.0", after: ""),
        Row(
            "nor while the server turns all away, whose pause goes on", before: answers + [.turnedAway(jitter: 0)],
            event: absent(since: 0), action: "wait until 7.0",
            after: "paused until 5.5 for the 1. time, failing, turning away"),
        Row(
            "but for ten times as long, and with nothing else that waits", before: [.turnedAway(jitter: 0)],
            event: absent(since: -49), action: "none",
            after: "paused until 0.5 for the 1. time, failing, turning away"),
        Row(
            "it ends a row of pauses otherwise", before: [down], event: absent(since: 1), action: "wait until 2.0",
            after: "failing"),
    ]

    @Test("while the breaker is open one request at a time may go")
    func probes() {
        var state = State()
        #expect(state.admits() && state.admits())
        for event in Self.dead { _ = apply(event, at: 0, to: &state) }
        #expect(state.admits() && !state.admits())
        state.endProbe()
        #expect(state.admits() && !state.admits())
        _ = apply(.delivered, at: 1, to: &state)
        #expect(state.admits() && state.admits())
    }

    // MARK: - Parts

    private func apply(_ event: State.Event, at second: Int, to state: inout State) -> State.Action {
        state.apply(event, now: .seconds(second), limits: Self.limits)
    }

    private func text(_ action: State.Action) -> String {
        switch action {
        case .none: "none"
        case .wait(let until, .nothing): "wait until \(until / .seconds(1))"
        case .wait(let until, .holding(let delay)): "wait until \(until / .seconds(1)), holding \(delay / .seconds(1))"
        case .wait(let until, .opened(let delay)): "wait until \(until / .seconds(1)), opened \(delay / .seconds(1))"
        case .wait(let until, .turnedAway): "wait until \(until / .seconds(1)), turned away"
        case .believe(let doubts): "believe " + doubts.map { "\($0.refused): \($0.reason)" }.joined(separator: ", ")
        case .stop(let refusals): "stop after \(refusals)"
        }
    }

    private func text(_ state: State) -> String {
        var parts: [String] = []
        if let pause = state.pause {
            parts.append("paused until \(pause.until / .seconds(1)) for the \(pause.count). time")
        }
        if state.failingSince != nil { parts.append("failing") }
        if state.breaker.isOpen { parts.append("open") }
        if state.isTurningAway { parts.append("turning away") }
        if let deliveredAt = state.deliveredAt { parts.append("delivered \(Int(deliveredAt / .seconds(1)))") }
        let doubts = state.doubts.map { " \($0.reason)@\(Int($0.since / .seconds(1)))" }.joined()
        if !doubts.isEmpty { parts.append("doubts" + doubts) }
        return parts.joined(separator: ", ")
    }
}

extension HostStateTests.Row {
    fileprivate init(
        _ name: String, before: [HostState<String>.Event] = [], event: HostState<String>.Event, action: String,
        after: String
    ) {
        self.init(testDescription: name, before: before, event: event, action: action, after: after)
    }
}
