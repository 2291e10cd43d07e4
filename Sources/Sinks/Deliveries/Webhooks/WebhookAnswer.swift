import HTTPClient
import Messages
import RecordLog

/// What answers of those mean whom records are posted to.
struct WebhookAnswer {
    /// Who takes the records, such as "webhook".
    var taker: String
    /// What is sent, such as "reloads".
    var records: String
    /// The path of the address, without what of it may be a secret.
    var path: String
    /// The name of the setting with the secret that signs.
    var secret = "webhook.secret"

    func verdict(
        on result: Result<HTTPClientResponse, HTTPClientError>, from host: String, wall: Instant
    ) -> DeliveryVerdict {
        switch result {
        case .failure(let error) where error.kind == .invalid:
            return .stop(reason: "cannot send to \(host): \(error)")
        case .failure(let error) where error.kind == .unknownHost:
            return .again(reason: "\(host): \(UnknownHost.text(error.description))", scope: .host)
        case .failure(let error):
            return .again(reason: "\(host): \(error)", scope: error.kind == .timedOut ? .either : .host)
        case .success(let response):
            let reason = "\(host): status \(response.status)"
            switch response.status {
            case 200..<300: return .delivered
            case 300..<400:
                return .stop(
                    reason: "the \(taker) at \(host) is elsewhere: it answered with status \(response.status);"
                        + " give the address that takes \(records) itself, redirections are not followed")
            case 401, 403, 404, 405, 410:
                // This says nothing of the record: the secret, the address or what is deployed there is not right.
                return .turnedAway(reason: "the \(taker) at \(reason) for \(path); look at its address and \(secret)")
            case 402, 421, 423, 426:
                // Neither does this: it is about payment, the connection, a lock, or the protocol.
                return .turnedAway(reason: "the \(taker) at \(reason)")
            case 407:
                // A proxy on the way answers so to whatever goes there.
                return .again(
                    reason: "\(reason), a proxy on the way wants credentials",
                    after: RetryAfter.delay(response, wall: wall), scope: .host)
            case 408, 425, 429, 500...:
                return .again(reason: reason, after: RetryAfter.delay(response, wall: wall), scope: .either)
            default:
                return .deadLetter(
                    MessageProblem(.notAllowed, "The \(taker) refused it with status \(response.status)."),
                    reason: "the \(taker) at \(reason) for \(path)")
            }
        }
    }
}
