package import HTTPClient
package import Messages
package import RecordLog

/// Who reloads are sent to: Apple's push service, or a webhook. Decides what is sent for a record and what an answer
/// means; a `ReloadSinkRunner` does the sending. Owned by the runner's thread.
package protocol ReloadDestination: AnyObject {
    /// What one request tells.
    associatedtype Content

    /// One request tells all that waits, and the newest is all that counts. So sending waits for more to come,
    /// and what has grown old is not sent.
    var conflates: Bool { get }

    /// Takes up what the sink's ledger kept, key by key, without the sink's name; before anything else.
    func restore(_ key: String, _ value: [UInt8])

    /// Learns all that was known when it is called, so that the records read before can be judged.
    ///
    /// - Returns: false where it was stopped before that.
    func catchUp() throws(ReloadSinkError) -> Bool

    /// Learns what there is without waiting.
    func keepUp() throws(ReloadSinkError)

    /// What is to be sent for a record, with the lane of each. Empty: nobody wants it.
    ///
    /// - Throws: why the record is a dead letter.
    func parcels(for record: Record) throws(MessageProblem) -> [(lane: String, content: Content)]

    /// Puts what came later into what waits; nil where both have to be sent.
    func merge(_ waiting: Content, _ later: Content) -> Content?

    /// What is to be sent of it by what is known now, which may go elsewhere. Empty: nobody wants it any more.
    func routes(of content: Content) -> [(lane: String, content: Content)]

    /// What is sent now, at each attempt anew.
    func attempt(_ content: Content, wall: Instant, now: Duration) -> DeliveryAttempt

    /// What an answer means. What it changes of what is known becomes part of `ledgerChanges`.
    func verdict(
        on result: Result<HTTPClientResponse, HTTPClientError>, to attempt: DeliveryAttempt, _ content: Content,
        wall: Instant
    ) -> DeliveryVerdict

    /// A verdict `refused` is taken for what it says.
    ///
    /// - Returns: what that retires.
    func believe(_ problem: MessageProblem, reason: String, of content: Content) -> ReloadSinkNotice?

    /// What the ledger has to keep, by key without the sink's name; a nil value removes. Given once.
    func takeLedgerChanges() -> [(key: String, value: [UInt8]?)]

    /// Ends its readers.
    func close()
}

/// A request on its way.
package struct DeliveryAttempt: Sendable {
    package var request: HTTPClientRequest
    /// Which of the destination's credentials it carries.
    package var credential: Int
    /// What it shares with others that fail with it: the server's name.
    package var host: String

    package init(request: HTTPClientRequest, credential: Int = 0, host: String) {
        self.request = request
        self.credential = credential
        self.host = host
    }
}

/// What becomes of what was sent.
package enum DeliveryVerdict: Hashable, Sendable {
    case delivered
    /// The recipient is no more. Nil: it has been registered again meanwhile, and stays; so it is sent once more.
    case gone(ReloadSinkNotice?)
    /// It goes to the dead letters.
    case deadLetter(MessageProblem)
    /// It goes to the dead letters too, unless so many in a row are refused for this reason that it cannot be them.
    case refused(MessageProblem, reason: String)
    /// It is sent again: after a back-off, and not before `after` where the server said so.
    case again(reason: String, after: Duration? = nil, scope: Scope = .parcel)
    /// Whoever takes the reloads refuses all of them for now, until somebody changes something there: they wait
    /// together, and that is told once.
    case turnedAway(reason: String)
    /// It is sent again at once: its credential was old.
    case atOnce
    /// The run ends; what was sent stays unsettled.
    case stop(reason: String)

    /// What waits together.
    package enum Scope: Hashable, Sendable {
        case parcel
        case host
    }
}
