import Sinks

/// Whom records are sent to: reloads, or timelines.
enum DeliveryTarget: Sendable {
    case apns
    case webhook(WebhookURL)
    case timelines(TimelineAddress)

    /// The name of the sink. Another address is another sink, with positions of its own.
    var name: String {
        switch self {
        case .apns: "apns"
        case .webhook(let url): "webhook-\(url.digest)"
        case .timelines(let address): "http-\(address.digest)"
        }
    }

    /// The target for people, without what of an address may be a secret.
    var shown: String {
        switch self {
        case .apns: "apns"
        case .webhook(let url): url.shown
        case .timelines(let address): address.shown
        }
    }
}
