import CRdKafka
import RecordLog
import Testing

@testable import RdKafka

/// What brokers say of the members of a group.
@Suite struct GroupDescriptionTests {
    /// Reads a member as librdkafka hands it over.
    private func member(_ id: String, client: String, _ assignment: [UInt8], isStable: Bool) -> RecordLog.GroupMember {
        var assignment = assignment
        let size = Int32(assignment.count)
        return id.withCString { id in
            client.withCString { client in
                assignment.withUnsafeMutableBytes { bytes in
                    var info = rd_kafka_group_member_info()
                    info.member_id = UnsafeMutablePointer(mutating: id)
                    info.client_id = UnsafeMutablePointer(mutating: client)
                    info.member_assignment = bytes.baseAddress
                    info.member_assignment_size = size
                    return RecordLog.GroupMember(info, isStable: isStable)
                }
            }
        }
    }

    private static let identifier = "-0a6f3c1e-1111-2222-3333-444455556666"
    /// Partitions 1 and 0 of topic `x`, by the consumer protocol.
    private static let assignment: [UInt8] =
        [0, 1, 0, 0, 0, 1, 0, 1] + Array("x".utf8) + [0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]

    @Test("a member of a stable group has what it was assigned, or nothing")
    func stable() {
        let one = member("app-a" + Self.identifier, client: "app-a", Self.assignment, isStable: true)
        #expect(one.assigned == [TopicPartition("x", 0), TopicPartition("x", 1)])
        #expect(one.instance == nil && one.clientId == "app-a")
        #expect(member("web-0" + Self.identifier, client: "app-a", [], isStable: true).assigned == [])
        #expect(member("web-0" + Self.identifier, client: "app-a", [], isStable: true).instance == "web-0")
    }

    @Test("while a group makes a new assignment it leaves assignments out: what a member has is not known")
    func unstable() {
        #expect(member("app-a" + Self.identifier, client: "app-a", [], isStable: false).assigned == nil)
    }
}
