package import RecordLog

/// The owners of an application's tasks that have not released them, as the claims beside committed offsets name them
/// (R4). Each of them may have left a transaction open.
package struct ClaimedOwners: Hashable, Sendable {
    /// Transactional ids of members of the group, ascending.
    package private(set) var alive: [String] = []
    /// Transactional ids of threads that are in the group no more, ascending. Who takes their tasks over ends what they
    /// left open.
    package private(set) var gone: [String] = []

    /// - Parameters:
    ///   - metadata: what stands beside the committed offsets of the exchange. What is no claim is passed over.
    ///   - application: the id.
    ///   - members: of the application's group, as they are now.
    package init(beside metadata: some Sequence<String>, of application: String, members: [GroupMember]) {
        let prefix = application + "-"
        let claims = metadata.compactMap { Claim($0, prefix: prefix) }
        for owner in Set(claims.filter { !$0.isReleased }.map(\.transactionalId)).sorted() {
            if members.contains(where: { $0.owns(owner, prefix: prefix) }) {
                alive.append(owner)
            } else {
                gone.append(owner)
            }
        }
    }
}
