/// The answers of a server that something which is to be removed is not there. One such answer proves nothing: a server
/// on which nothing is deployed gives it, too (`HostState`).
struct Absence: Hashable, Sendable {
    /// When the first one came.
    var since: Duration
    /// The number of deliveries to the server by then.
    var deliveries: Int
}
