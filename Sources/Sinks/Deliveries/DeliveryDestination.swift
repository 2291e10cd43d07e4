import Timelines
package import HTTPClient
package import Messages
package import RecordLog

/// The service that records are sent to: Apple's push service, a webhook of reloads, or whoever takes timelines over
/// HTTP. Decides what is sent for a record and what an answer means; `Deliveries` does the sending. The run's thread
/// owns it.
package protocol DeliveryDestination: AnyObject {
    /// The content of one request, or of one line of it.
    associatedtype Content

    /// What its topic carries.
    var content: SinkContent { get }

    /// Which timelines it takes; `nil` means all.
    var choice: SinkChoice? { get }

    /// What becomes of content that waits when more comes for its lane.
    var conflation: DeliveryConflation { get }

    /// The most contents that one request carries, 1 or more.
    var batchMax: Int { get }

    /// Takes up what the sink's ledger kept, key by key, without the sink's name; before anything else.
    func restore(_ key: String, _ value: [UInt8])

    /// Learns all that was known when it is called, so that the records read before can be judged.
    ///
    /// - Returns: false if it was stopped before that.
    func catchUp() throws(DeliveryError) -> Bool

    /// Learns what there is without waiting.
    func keepUp() throws(DeliveryError)

    /// Returns what is to be sent for a record, with the lane of each; nothing if nobody wants it.
    ///
    /// - Throws: the reason why the record is a dead letter.
    func parcels(for record: Record) throws(MessageProblem) -> [(lane: String, content: Content)]

    /// Joins what came later with what waits, or puts it in its place; `nil` if both have to be sent.
    func merge(_ waiting: Content, _ later: Content) -> Content?

    /// Returns what of the content is to be sent by what is known now, and on which lane: the recipient may have
    /// moved. It is nothing if nobody wants it any more.
    func routes(of content: Content) -> [(lane: String, content: Content)]

    /// The server that the content goes to, by the name that `DeliveryAttempt.host` has.
    func host(of content: Content) -> String

    /// Contents of one address may go in one request.
    func address(of content: Content) -> String

    /// Makes the request; at each attempt anew.
    ///
    /// - Parameter contents: 1 to `batchMax`, of one address.
    func attempt(_ contents: [Content], wall: Instant, now: Duration) -> DeliveryAttempt

    /// Says what an answer means for all that the request carried. What it changes of what is known becomes part of
    /// the ledger's changes.
    func verdict(
        on result: Result<HTTPClientResponse, HTTPClientError>, to attempt: DeliveryAttempt, _ contents: [Content],
        wall: Instant
    ) -> DeliveryVerdict

    /// Believes a verdict `refused`.
    ///
    /// - Returns: a notice of what that retires.
    func believe(_ problem: MessageProblem, reason: String, of content: Content) -> DeliveryNotice?

    /// Believes a verdict `absent`. What that changes of what is known becomes part of the ledger's changes.
    func believeAbsent(_ content: Content)

    /// Gives the changes that the ledger has to keep since the last call, by key without the sink's name; a `nil` value
    /// removes the key.
    func removeLedgerChanges() -> [(key: String, value: [UInt8]?)]

    /// Ends its readers.
    func close()
}

extension DeliveryDestination {
    package var content: SinkContent { .reloads }
    package var choice: SinkChoice? { nil }
    package var batchMax: Int { 1 }
    package func believeAbsent(_ content: Content) {}
    package func address(of content: Content) -> String { "" }
}

/// What becomes of content that waits when more comes for its lane.
package enum DeliveryConflation: Hashable, Sendable {
    /// Each is sent, in its order, however old it is.
    case none
    /// One request tells all that waits. So sending waits for more to come, and what has grown old is not sent.
    case joined
    /// What comes later takes the place of what waits, which is settled by that. Nothing is sent before the run has
    /// read what the topic held at its start, as far as so much may wait: so what an earlier run sent last is not
    /// followed by something older.
    case newest
}

/// A request on its way.
package struct DeliveryAttempt: Sendable {
    package var request: HTTPClientRequest
    /// The number of the credential that it carries.
    package var credential: Int
    /// The server's name: requests to one host fail together.
    package var host: String

    package init(request: HTTPClientRequest, credential: Int = 0, host: String) {
        self.request = request
        self.credential = credential
        self.host = host
    }
}

/// The meaning of an answer for the parcel that was sent.
package enum DeliveryVerdict: Hashable, Sendable {
    case delivered
    /// What was to be removed is not there. That may be right, or the server may answer so to everything. It is asked
    /// again until it can be believed, and does not show that the server takes anything.
    case absent
    /// The recipient is no more. With `nil` it has been registered again meanwhile, and stays; so it is sent once more.
    case gone(DeliveryNotice?)
    /// It goes to the dead letters. Of a request that carried several each half is sent again, until the one is found.
    /// When so many in a row are refused for this reason that it cannot be them, they wait as if turned away.
    case deadLetter(MessageProblem, reason: String)
    /// It goes to the dead letters too, unless so many in a row are refused for this reason that it cannot be them.
    case refused(MessageProblem, reason: String)
    /// It is sent again: after a back-off, and not before `after` if the server said so.
    case again(reason: String, after: Duration? = nil, scope: Scope = .parcel)
    /// Whoever takes the records refuses all of them for now, until somebody changes something there: they wait
    /// together, and that is told once. With `mayBeAlone` this one waits alone if others were taken meanwhile.
    case turnedAway(reason: String, mayBeAlone: Bool = false)
    /// It is sent again at once: its credential was old.
    case atOnce
    /// The run ends; what was sent stays unsettled.
    case stop(reason: String)

    /// The extent of a failure: what waits together.
    package enum Scope: Hashable, Sendable {
        case parcel
        case host
        /// Nobody knows: it is the parcel's, but the host's if others fail as well, or if the server asks for time.
        case either
    }
}

/// The header `Retry-After` (RFC 9110 section 10.2.3).
enum RetryAfter {
    /// A day: what is longer is not believed.
    static let most = Duration.seconds(86_400)

    /// Returns how long to wait, whether the server says seconds or a date; `nil` if it says neither.
    static func delay(_ response: HTTPClientResponse, wall: Instant) -> Duration? {
        guard let text = response.header("Retry-After") else { return nil }
        if let seconds = Int64(text) { return seconds < 0 ? nil : min(.seconds(seconds), most) }
        guard let date = response.secondsOfDate("Retry-After") else { return nil }
        // As durations nothing overflows, whatever year the server says.
        let delay = Duration.seconds(date) - Duration.milliseconds(wall.milliseconds)
        return min(max(delay, .zero), most)
    }
}
