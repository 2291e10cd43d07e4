/// A member of a consumer group as its coordinator sees it.
package struct GroupMember: Hashable, Sendable {
    /// Given by the coordinator; another one after each time that the member has left or was thought dead.
    package var memberId: String
    package var clientId: String
    /// The name of a static member (KIP-345).
    package var instance: String?
    /// Ascending; `nil` while the group makes a new assignment.
    package var assigned: [TopicPartition]?

    package init(memberId: String, clientId: String, instance: String?, assigned: [TopicPartition]?) {
        self.memberId = memberId
        self.clientId = clientId
        self.instance = instance
        self.assigned = assigned
    }
}
