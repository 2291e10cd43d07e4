package import HTTPClient
package import Messages
package import RecordLog

/// An address that each reload is posted to: as it is, as a CloudEvent in binary mode, signed by the scheme of Standard
/// Webhooks. Reloads of one recipient go one after the other.
package final class WebhookDestination: DeliveryDestination {
    private let settings: WebhookSettings
    private let answer: WebhookAnswer

    package init(_ settings: WebhookSettings) {
        self.settings = settings
        answer = WebhookAnswer(taker: "webhook", records: "reloads", path: settings.url.shownPath)
    }

    package var conflation: DeliveryConflation { .none }

    package func restore(_ key: String, _ value: [UInt8]) {}

    package func catchUp() -> Bool { true }

    package func keepUp() {}

    package func removeLedgerChanges() -> [(key: String, value: [UInt8]?)] { [] }

    package func close() {}

    // MARK: - What is sent

    package func parcels(for record: Record) -> [(lane: String, content: Record)] {
        record.value == nil ? [] : routes(of: record)
    }

    package func merge(_ waiting: Record, _ later: Record) -> Record? { nil }

    package func routes(of content: Record) -> [(lane: String, content: Record)] {
        [(String(decoding: content.key ?? [], as: UTF8.self), content)]
    }

    package func host(of content: Record) -> String { settings.url.host }

    package func attempt(_ records: [Record], wall: Instant, now: Duration) -> DeliveryAttempt {
        let record = records[0]
        let id = WebhookHeaders.id(of: record)
        let body = record.value ?? []
        var headers = [HTTPHeader("content-type", "application/json")]
        headers += record.headers.compactMap(WebhookHeaders.forwarded)
        headers += WebhookHeaders.signature(id, body, settings.secret, wall: wall)
        let request = HTTPClientRequest(url: settings.url.text, headers: headers, body: body)
        return DeliveryAttempt(request: request, host: settings.url.host)
    }

    // MARK: - What is answered

    package func believe(_ problem: MessageProblem, reason: String, of content: Record) -> DeliveryNotice? { nil }

    package func verdict(
        on result: Result<HTTPClientResponse, HTTPClientError>, to attempt: DeliveryAttempt, _ contents: [Record],
        wall: Instant
    ) -> DeliveryVerdict {
        answer.verdict(on: result, from: attempt.host, wall: wall)
    }
}
