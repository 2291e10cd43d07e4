import RecordLog
import TestSupport
import Testing

@testable import RdKafka

@Suite struct GroupMetadataTests {
    private static func bytes(generation: Int32, group: String, member: String, rest: String = "") -> [UInt8] {
        Array("CGMDv2:".utf8) + withUnsafeBytes(of: generation) { Array($0) } + Array(group.utf8) + [0]
            + Array(member.utf8) + [0] + Array(rest.utf8) + [0]
    }

    @Test(
        "a member has a generation and a member id",
        arguments: [
            (bytes(generation: 3, group: "g", member: "m"), true),
            (bytes(generation: 0, group: "", member: "m", rest: "instance"), true),
            (bytes(generation: -1, group: "g", member: ""), false),
            (bytes(generation: 3, group: "g", member: ""), false),
            (bytes(generation: -1, group: "g", member: "m"), false),
        ])
    func members(bytes: [UInt8], isMember: Bool) throws {
        let form = try bytes.withUnsafeBytes { try GroupMetadataForm($0) }
        #expect(form.isMember == isMember)
    }

    @Test(
        "a form that is not known is an error that says so, whatever the bytes are",
        arguments: [
            [], Array("CGMDv3:".utf8) + [0, 0, 0, 1, 0x67, 0, 0x6d, 0], Array("CGMDv2:".utf8),
            Array("CGMDv2:".utf8) + [1, 0, 0], Array("CGMDv2:".utf8) + [1, 0, 0, 0],
            Array("CGMDv2:".utf8) + [1, 0, 0, 0, 0x67], Array("CGMDv2:".utf8) + [1, 0, 0, 0, 0x67, 0],
            Array("CGMDv2:".utf8) + [1, 0, 0, 0, 0x67, 0, 0x6d], [0xff],
        ])
    func unknown(bytes: [UInt8]) throws {
        let error = #expect(throws: LogError.self) {
            _ = try bytes.withUnsafeBytes { try GroupMetadataForm($0) }
        }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("group metadata in a form that is not known here") == true, "\(error!)")
    }

    @Test("this machine's librdkafka writes the form that is known")
    func present() async throws {
        try await onBroker { kafka in
            let topic = try kafka.topic()
            let consumer = try kafka.cluster.makeMember(
                of: uniqueName("group"), instance: "one", clientId: "test")
            defer { consumer.close() }
            #expect(consumer.groupMetadata() == nil)
            let member = try GroupMember(consumer, subscribedTo: topic)
            #expect(member.waitForAssignment(), "\(member.told) \(member.failures)")
            #expect(consumer.groupMetadata() != nil)
        }
    }

    @Test("a static member that comes back has its partitions at once; the one of before is told why it is out")
    func fenced() async throws {
        try await onBroker(["session.timeout.ms": "60000", "heartbeat.interval.ms": "200"]) { kafka in
            let (topic, group) = (try kafka.topic(partitions: 2), uniqueName("group"))
            let one = try GroupMember(
                kafka.cluster.makeMember(of: group, instance: "one", clientId: "test"), subscribedTo: topic)
            #expect(one.waitForAssignment(), "\(one.told) \(one.failures)")
            let began = ContinuousClock.now
            let other = try GroupMember(
                kafka.cluster.makeMember(of: group, instance: "one", clientId: "test"), subscribedTo: topic)
            #expect(other.waitForAssignment(), "\(other.told) \(other.failures)")
            #expect(ContinuousClock.now - began < .seconds(50), "a session lasts 60 s")
            #expect(other.owned.count == 2)

            let isTold = wait(within: .seconds(120)) {
                one.poll()
                return one.failures.contains { $0.code == .fatal }
            }
            #expect(isTold, "\(one.failures)")
            let failure = try #require(one.failures.first { $0.code == .fatal })
            #expect(failure.name == "FENCED_INSTANCE_ID")
            #expect(failure.message.contains(group) && failure.message.contains("as instance one"), "\(failure)")
            one.consumer.close()
            other.consumer.close()
        }
    }
}
