package import HTTPClient
package import Messages
package import RecordLog
import Timelines

/// Sends each timeline to an address, signed by the scheme of Standard Webhooks: at least once, of each configuration
/// one after the other, and the newest alone of those that wait.
///
/// A configuration that is deleted, or that names other sinks, is told of as removed. If the address has other fields
/// than the configuration's id, the sink's ledger keeps where each timeline is (`address/CONFIGURATION`), so that it is
/// removed there when it goes elsewhere or nowhere.
package final class HTTPTimelines: DeliveryDestination {
    /// What a request, or a line of it, tells of a configuration.
    package struct Content: Hashable, Sendable {
        package var record: Record
        package var configurationId: String
        package var place: TimelinePlace
        /// `nil` tells that the timeline is to be removed.
        package var head: TimelineHead?
    }

    /// Where the timeline of a configuration is, and where it will be once all that waits is sent.
    private struct Route {
        var held: TimelinePlace?
        var latest: TimelinePlace?
    }

    let settings: HTTPTimelinesSettings
    private let answer: WebhookAnswer
    private var parser = JSONParser()
    /// The routes by configuration, if the address is routed.
    private var routes = TextDictionary<Route>()
    /// Used if the address is not routed.
    private var removals: KnownRemovals
    private var changes: [(key: String, value: [UInt8]?)] = []

    package init(_ settings: HTTPTimelinesSettings) {
        precondition(settings.batch > 0 && (settings.batch == 1 || !settings.address.namesConfiguration))
        self.settings = settings
        answer = WebhookAnswer(
            taker: "target", records: "timelines", path: settings.address.shownPath, secret: settings.names.secret)
        removals = KnownRemovals(countMax: settings.removalsMax)
    }

    package var content: SinkContent { .timelines }
    package var choice: SinkChoice? { settings.choice }
    package var conflation: DeliveryConflation { .newest }
    package var batchMax: Int { settings.batch }

    package func catchUp() -> Bool { true }

    package func keepUp() {}

    package func close() {}

    // MARK: - The ledger

    package func restore(_ key: String, _ value: [UInt8]) {
        let prefix = "address/".utf8
        // By bytes: an id may begin with a mark that combines with the `/` before it.
        guard settings.address.isRouted, key.utf8.starts(with: prefix) else { return }
        let id = String(Substring(key.utf8.dropFirst(prefix.count)))
        let place = try? place(of: id, head(of: value))
        routes[id] = place.map { Route(held: $0, latest: $0) }
    }

    package func removeLedgerChanges() -> [(key: String, value: [UInt8]?)] {
        defer { changes.removeAll() }
        return changes
    }

    /// Notes what the target has taken.
    private func delivered(_ content: Content) {
        let id = content.configurationId
        if content.head == nil { removals.take(id, content.record) }
        guard settings.address.isRouted else { return }
        let held = routes[id]?.held
        if let head = content.head {
            guard held != content.place else { return }
            routes[id, default: Route()].held = content.place
            changes.append(("address/\(id)", Array(head.json.utf8)))
        } else if held == content.place {
            routes[id]?.held = nil
            if routes[id]?.latest == nil { routes[id] = nil }
            changes.append(("address/\(id)", nil))
        }
    }

    // MARK: - What is sent

    package func parcels(for record: Record) throws(MessageProblem) -> [(lane: String, content: Content)] {
        guard let key = record.key, let id = String(validating: key, as: UTF8.self), !id.isEmpty else {
            throw MessageProblem(.unreadable, "the key is not the text of a configurationId")
        }
        let sent = SinkRecord(
            configurationId: id, value: record.value, headers: record.headers,
            origin: TopicPartition(record.topic, record.partition), offset: record.offset)
        let isTaken = settings.choice?.takes(sent) ?? true
        guard isTaken, let timeline = sent.timeline(for: settings.name) else { return removal(of: id, record) }
        let head = try head(of: timeline)
        let place = try place(of: id, head)
        var parcels: [(lane: String, content: Content)] = []
        if settings.address.isRouted {
            if let latest = routes[id]?.latest, latest != place {
                parcels.append((id, Content(record: record, configurationId: id, place: latest)))
            }
            routes[id, default: Route()].latest = place
        }
        removals.forget(id)
        parcels.append((id, Content(record: record, configurationId: id, place: place, head: head)))
        return parcels
    }

    /// Nothing if the target is known not to have it.
    private func removal(of id: String, _ record: Record) -> [(lane: String, content: Content)] {
        let place: TimelinePlace?
        if settings.address.isRouted {
            place = routes[id]?.latest
            routes[id]?.latest = nil
        } else {
            // Without an address nothing of it was ever sent.
            place = removals.isTaken(id) ? nil : try? self.place(of: id, nil)
            if place != nil || record.value == nil { removals.begin(id, record) }
        }
        return place.map { [(id, Content(record: record, configurationId: id, place: $0))] } ?? []
    }

    private func head(of value: [UInt8]) throws(MessageProblem) -> TimelineHead {
        try value.decoded { (bytes) throws(MessageProblem) in try TimelineHead.decode(bytes, with: &parser) }
    }

    private func place(of id: String, _ head: TimelineHead?) throws(MessageProblem) -> TimelinePlace {
        try settings.address.place(of: id, head, allowed: settings.hosts, by: settings.names.hosts)
    }

    /// What goes elsewhere has to be told to both.
    package func merge(_ waiting: Content, _ later: Content) -> Content? {
        waiting.place == later.place ? later : nil
    }

    package func routes(of content: Content) -> [(lane: String, content: Content)] {
        [(content.configurationId, content)]
    }

    package func host(of content: Content) -> String { content.place.host }

    package func address(of content: Content) -> String { content.place.url }

    // MARK: - What is answered

    package func believe(_ problem: MessageProblem, reason: String, of content: Content) -> DeliveryNotice? { nil }

    package func believeAbsent(_ content: Content) { delivered(content) }

    package func verdict(
        on result: Result<HTTPClientResponse, HTTPClientError>, to attempt: DeliveryAttempt, _ contents: [Content],
        wall: Instant
    ) -> DeliveryVerdict {
        var verdict = answer.verdict(on: result, from: attempt.host, wall: wall)
        if case .success(let response) = result {
            switch verdict {
            // What is not there is removed, if the target says so of nothing else.
            case .turnedAway where attempt.request.method == .DELETE && [404, 410].contains(response.status):
                verdict = .absent
            case .turnedAway(let reason, _):
                verdict = .turnedAway(reason: reason, mayBeAlone: settings.address.namesConfiguration)
            case .deadLetter(let problem, let reason):
                verdict = .deadLetter(told(problem, response), reason: reason)
            case .stop where settings.address.variesByTimeline:
                verdict = .turnedAway(reason: redirected(response, attempt.host), mayBeAlone: true)
            default: break
            }
        }
        if verdict == .delivered { for content in contents { delivered(content) } }
        return verdict
    }

    /// What to say of an answer that names another place, which is told without its query, for that may be a secret.
    private func redirected(_ response: HTTPClientResponse, _ host: String) -> String {
        let status = "the target at \(host): status \(response.status)"
        let location = response.header("Location").map { TimelineAddress.shown(location: $0) } ?? ""
        let place = location.isEmpty || settings.address.isShown(in: location) ? "" : " and the location \(location)"
        return "\(status)\(place); redirections are not followed"
    }

    /// The problem with the beginning of what the target says of it.
    private func told(_ problem: MessageProblem, _ response: HTTPClientResponse) -> MessageProblem {
        var problem = problem
        let words = String(decoding: response.body.prefix(200), as: UTF8.self).split { $0.isWhitespace || $0 == "\0" }
        let said = words.isEmpty ? "" : " It says: \(words.joined(separator: " "))"
        // Somebody's secret may be in the address, and the target may repeat it.
        if !settings.address.isShown(in: said) { problem.message += said }
        return problem
    }
}
