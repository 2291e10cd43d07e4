import Crypto
import Foundation
package import HTTPClient
package import Messages
package import RecordLog

/// An address that each reload is posted to: as it is, as a CloudEvent in binary mode (CloudEvents' HTTP binding 3.1),
/// signed by the scheme of Standard Webhooks. Reloads of one recipient go one after the other.
package final class WebhookDestination: ReloadDestination {
    private let settings: WebhookSettings

    package init(_ settings: WebhookSettings) {
        self.settings = settings
    }

    package var conflates: Bool { false }

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

    package func attempt(_ record: Record, wall: Instant, now: Duration) -> DeliveryAttempt {
        // The same at each attempt, so that receivers know what they have had. A dot would end it in what is signed.
        let id = "\(record.topic)-\(record.partition)-\(record.offset)".replacing(".", with: "_")
        let timestamp = String(wall.milliseconds / 1000)
        let body = record.value ?? []
        let code = HMAC.sha256(Array("\(id).\(timestamp).".utf8) + body, key: settings.secret.bytes)
        var headers = [HTTPHeader("content-type", "application/json")]
        headers += record.headers.compactMap(Self.forwarded)
        headers += [
            HTTPHeader("webhook-id", id),
            HTTPHeader("webhook-timestamp", timestamp),
            HTTPHeader("webhook-signature", "v1,\(Data(code).base64EncodedString())"),
        ]
        let request = HTTPClientRequest(url: settings.url.text, headers: headers, body: body)
        return DeliveryAttempt(request: request, host: settings.url.host)
    }

    /// CloudEvents' attributes by their names in HTTP, and the trace.
    private static func forwarded(_ header: Header) -> HTTPHeader? {
        guard let value = header.value else { return nil }
        if header.name == CloudEventHeaders.traceParentName { return HTTPHeader(header.name, encoded(value)) }
        guard header.name.hasPrefix("ce_") else { return nil }
        return HTTPHeader("ce-\(header.name.dropFirst(3))", encoded(value))
    }

    /// Printable ASCII but space, quote and percent as it is, the rest by percent (CloudEvents' HTTP binding 3.1.3.2).
    private static func encoded(_ value: [UInt8]) -> String {
        var text = ""
        for byte in value {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "%"): text += "%" + [byte].hexadecimal.uppercased()
            case 0x21...0x7E: text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "%" + [byte].hexadecimal.uppercased()
            }
        }
        return text
    }

    // MARK: - What is answered

    package func believe(_ problem: MessageProblem, reason: String, of content: Record) -> ReloadSinkNotice? { nil }

    package func verdict(
        on result: Result<HTTPClientResponse, HTTPClientError>, to attempt: DeliveryAttempt, _ content: Record,
        wall: Instant
    ) -> DeliveryVerdict {
        switch result {
        case .failure(let error) where error.kind == .invalid:
            return .stop(reason: "cannot post to \(attempt.host): \(error)")
        case .failure(let error):
            return .again(reason: "\(attempt.host): \(error)", scope: error.kind == .timedOut ? .parcel : .host)
        case .success(let response):
            let reason = "\(attempt.host): status \(response.status)"
            switch response.status {
            case 200..<300: return .delivered
            case 300..<400:
                return .stop(
                    reason: "the webhook at \(attempt.host) is elsewhere: it answered with status \(response.status);"
                        + " give the address that takes reloads itself, redirections are not followed")
            case 401, 403, 404, 405, 410:
                // This says nothing of the reload: the secret, the address or what is deployed there is not right.
                return .turnedAway(reason: "the webhook at \(reason); look at its address and webhook.secret")
            case 408, 425, 429, 500...:
                return .again(reason: reason, after: RetryAfter.delay(response, wall: wall))
            default:
                return .deadLetter(
                    MessageProblem(.notAllowed, "The webhook refused it with status \(response.status)."))
            }
        }
    }
}
