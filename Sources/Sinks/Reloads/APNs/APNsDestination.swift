package import HTTPClient
package import Messages
package import RecordLog

/// Apple's push service: one WidgetKit push for each device, whatever number of kinds and configurations changed there.
package final class APNsDestination: DeliveryDestination {
    /// A push for a device.
    package struct Content: Hashable, Sendable {
        package var push: PushRegistration
        package var priority: Int
        /// The configurations to reload: their registrations may change while the push waits.
        package var configurationIds: Set<String>
    }

    private let settings: APNsSettings
    private let feed: ConfigurationFeed
    private let admin: any Admin
    private var tokens = PushTokens()
    private var providerToken: ProviderToken
    private var parser = JSONParser()

    package init(
        _ settings: APNsSettings, sink: DeliverySettings, cluster: any Cluster, clock: any DeliveryClock,
        shouldStop: @escaping () -> Bool = { false }, notice: @escaping (DeliveryNotice) -> Void = { _ in }
    ) throws(LogError) {
        self.settings = settings
        admin = try cluster.makeAdmin()
        feed = try ConfigurationFeed(
            topic: settings.configurationsTopic,
            SinkContext(
                sink.reading, cluster: cluster, admin: admin, clock: clock, shouldStop: shouldStop, notice: notice))
        providerToken = ProviderToken(settings)
    }

    package func close() {
        feed.close()
        admin.close()
    }

    package var conflation: DeliveryConflation { .joined }

    package func restore(_ key: String, _ value: [UInt8]) { tokens.restore(key, value) }

    package func removeLedgerChanges() -> [(key: String, value: [UInt8]?)] { tokens.removeChanges() }

    package func catchUp() throws(DeliveryError) -> Bool { try feed.catchUp(&tokens) }

    package func keepUp() throws(DeliveryError) { try feed.keepUp(&tokens) }

    // MARK: - What is sent

    package func parcels(for record: Record) throws(MessageProblem) -> [(lane: String, content: Content)] {
        guard let value = record.value else { return [] }
        let reload = try value.decoded { (bytes) throws(MessageProblem) in
            try ReloadNotification.decode(bytes, with: &parser)
        }
        return routes(of: Set(reload.configurationIds), priority: settings.priority(of: reload.reason))
    }

    package func routes(of content: Content) -> [(lane: String, content: Content)] {
        routes(of: content.configurationIds, priority: content.priority)
    }

    private func routes(of ids: Set<String>, priority: Int) -> [(lane: String, content: Content)] {
        var routes: [(lane: String, content: Content)] = []
        for id in ids.sorted() {
            guard let push = tokens.registration(of: id), tokens.isValid(push) else { continue }
            if let index = routes.firstIndex(where: { $0.content.push == push }) {
                routes[index].content.configurationIds.insert(id)
            } else {
                let lane = "\(push.token)/\(push.topic)/\(push.environment.rawValue)"
                routes.append((lane, Content(push: push, priority: priority, configurationIds: [id])))
            }
        }
        return routes
    }

    package func merge(_ waiting: Content, _ later: Content) -> Content? {
        Content(
            push: later.push, priority: max(waiting.priority, later.priority),
            configurationIds: waiting.configurationIds.union(later.configurationIds))
    }

    package func host(of content: Content) -> String { settings.host(of: content.push.environment) }

    package func attempt(_ contents: [Content], wall: Instant, now: Duration) -> DeliveryAttempt {
        let content = contents[0]
        let host = host(of: content)
        let suffix = ".push-type.widgets"
        let topic = content.push.topic
        let authorisation = "bearer \(providerToken.text(wall: wall, now: now))"
        let request = HTTPClientRequest(
            url: "https://\(host)/3/device/\(content.push.token)",
            headers: [
                HTTPHeader("apns-push-type", "widgets"),
                HTTPHeader("apns-topic", topic.hasSuffix(suffix) ? topic : topic + suffix),
                HTTPHeader("apns-priority", String(content.priority)),
                HTTPHeader("apns-expiration", "0"),
                HTTPHeader("apns-collapse-id", "tideline.reload"),
                HTTPHeader("authorization", authorisation),
            ],
            body: Self.body, requiresHTTP2: true)
        return DeliveryAttempt(request: request, credential: providerToken.number, host: host)
    }

    private static let body = Array(#"{"aps":{"content-changed":true}}"#.utf8)

    // MARK: - What is answered

    package func verdict(
        on result: Result<HTTPClientResponse, HTTPClientError>, to attempt: DeliveryAttempt, _ contents: [Content],
        wall: Instant
    ) -> DeliveryVerdict {
        switch result {
        case .failure(let error) where error.kind == .invalid:
            return .stop(reason: "cannot send to \(attempt.host): \(error)")
        case .failure(let error):
            // A stream that is never answered says nothing of those beside it.
            let reason = error.kind == .unknownHost ? UnknownHost.text(error.description) : error.description
            return .again(reason: "\(attempt.host): \(reason)", scope: error.kind == .timedOut ? .parcel : .host)
        case .success(let response):
            let answer = APNsAnswer(response, wall: wall, with: &parser)
            return verdict(on: answer, to: attempt, contents[0])
        }
    }

    private func verdict(on answer: APNsAnswer, to attempt: DeliveryAttempt, _ content: Content) -> DeliveryVerdict {
        switch answer {
        case .accepted:
            providerToken.accepted(attempt.credential)
            return .delivered
        case .gone(let reason, let since):
            return .gone(retire(content, asOf: since, reason))
        case .badRequest(let fault, let reason):
            let problem = MessageProblem(.notAllowed, field: fault.field, "was refused by APNs: \(reason)")
            return .refused(problem, reason: reason)
        case .expiredProviderToken:
            if providerToken.expired(attempt.credential) { return .atOnce }
            return .stop(
                reason: "APNs takes a provider token that was just made for expired (ExpiredProviderToken):"
                    + " is this machine's clock right?")
        case .tooMany(let after):
            return .again(reason: "\(attempt.host): too many requests", after: after)
        case .teamThrottled(let after):
            return .again(
                reason: "\(attempt.host): TooManyProviderTokenUpdates for team \(settings.teamId)", after: after,
                scope: .host)
        case .unavailable(let reason, let after):
            return .again(reason: "\(attempt.host): \(reason)", after: after)
        case .refused(let reason):
            return .stop(
                reason: "APNs refuses pushes of team \(settings.teamId) with key \(settings.keyId): \(reason);"
                    + " look at apns.key, apns.key-id and apns.team-id")
        }
    }

    package func believe(_ problem: MessageProblem, reason: String, of content: Content) -> DeliveryNotice? {
        // A topic is changed in a configuration, and a newer record comes with it; a token can only go.
        guard problem.field == APNsAnswer.Fault.token.field else { return nil }
        return retire(content, asOf: nil, reason)
    }

    /// Returns `nil` if a newer configuration record keeps the registration valid.
    private func retire(_ content: Content, asOf moment: Instant?, _ reason: String) -> DeliveryNotice? {
        tokens.retire(content.push, asOf: moment).map { .retired(reason: reason, configurations: $0) }
    }
}
