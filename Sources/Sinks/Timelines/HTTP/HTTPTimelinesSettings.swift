/// Where timelines are sent by HTTP, and how.
package struct HTTPTimelinesSettings: Hashable, Sendable {
    package var address: TimelineAddress
    package var secret: WebhookSecret
    /// The name by which a configuration's `sinks` choose this sink.
    package var name = "http"
    /// Which timelines it takes of those that name it or no sink; `nil` means all.
    package var choice: SinkChoice?
    /// The hosts that may come of fields in the address's host.
    package var hosts: [AllowedHost] = []
    /// The most timelines of a request. With 1 each request is one timeline; with more it has a line for each.
    package var batch = 1
    /// The most configurations of which is remembered that the target was told to have nothing of them.
    package var removalsMax = 100_000

    /// The names of the settings above, as an operator is told them.
    package var names = Names()

    /// The names of settings that a sink may have of its own.
    package struct Names: Hashable, Sendable {
        package var secret = "webhook.secret"
        package var hosts = "sink.http.hosts"

        package init() {}
    }

    package init(address: TimelineAddress, secret: WebhookSecret) {
        self.address = address
        self.secret = secret
    }
}
