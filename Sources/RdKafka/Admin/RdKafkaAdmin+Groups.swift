import CRdKafka
import RecordLog

extension RdKafkaAdmin {
    /// By the older of librdkafka's two requests, which asks all brokers: the newer one, DescribeConsumerGroups, ends
    /// the process now and then when the coordinator's connection breaks (2.0.2).
    func members(of group: String, timeout: Duration) throws(LogError) -> [GroupMember]? {
        serveEvents()
        var found: UnsafePointer<rd_kafka_group_list>?
        let code = rd_kafka_list_groups(client.pointer, group, &found, max(1, timeout.milliseconds))
        defer { if let found { rd_kafka_group_list_destroy(found) } }
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR || code == RD_KAFKA_RESP_ERR__PARTIAL else {
            throw LogError(code, about: "members of group \(group)")
                .needing(Permission(.describe, .group(group)), by: client.grants)
        }
        let groups = UnsafeBufferPointer(start: found?.pointee.groups, count: Int(found?.pointee.group_cnt ?? 0))
        guard let description = groups.first else {
            // A broker that did not answer may be the one that knows it.
            if code == RD_KAFKA_RESP_ERR_NO_ERROR { return [] }
            throw LogError(code, about: "members of group \(group)")
        }
        guard description.err == RD_KAFKA_RESP_ERR_NO_ERROR else {
            throw LogError(description.err, about: "members of group \(group)")
                .needing(Permission(.describe, .group(group)), by: client.grants)
        }
        // In every other state the coordinator leaves assignments out.
        let isStable = description.state.map { String(cString: $0) } == "Stable"
        return UnsafeBufferPointer(start: description.members, count: Int(description.member_cnt))
            .map { GroupMember($0, isStable: isStable) }.sorted { $0.memberId < $1.memberId }
    }

    /// By a consumer that is no member: brokers take its offsets as long as the group has none.
    func setOffsets(
        of group: String, to offsets: [(TopicPartition, Offset)], timeout: Duration
    ) throws(LogError) {
        guard !offsets.isEmpty else { return }
        let client = try settings.makeClient(
            .consumer(group: group, isolation: .readCommitted), clientId: Self.clientId)
        let committer = RdKafkaConsumer(client, group: group)
        defer { committer.close() }
        let list = PartitionList(capacity: offsets.count)
        for (place, offset) in offsets { list.add(place, offset: offset.rawValue) }
        let code = askingUntilSettled(within: timeout) { _ in rd_kafka_commit(client.pointer, list.pointer, 0) }
        let codes = [code] + list.elements.map(\.err)
        guard let failure = codes.first(where: { $0 != RD_KAFKA_RESP_ERR_NO_ERROR }) else { return }
        let members: [rd_kafka_resp_err_t] = [
            RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID, RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION,
            RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS,
        ]
        if members.contains(failure) {
            throw LogError(.wrongState, name: "NON_EMPTY_GROUP", "the group \(group) has a member")
        }
        throw LogError(failure, about: "offsets of group \(group)")
            .needing(Permission(.read, .group(group)), by: client.grants)
    }
}

extension GroupMember {
    /// - Parameter isStable: false while the group makes a new assignment.
    init(_ member: rd_kafka_group_member_info, isStable: Bool) {
        let memberId = String(cString: member.member_id)
        let clientId = String(cString: member.client_id)
        // Brokers append a hyphen and a UUID to the client's id, or to the instance's name where there is one.
        let stem = String(memberId.dropLast(37))
        self.init(
            memberId: memberId, clientId: clientId, instance: stem.isEmpty || stem == clientId ? nil : stem,
            assigned: isStable
                ? Self.assigned(
                    UnsafeRawBufferPointer(
                        start: member.member_assignment, count: Int(max(0, member.member_assignment_size))))
                : nil)
    }

    /// Reads an assignment of the consumer protocol: a version, topics each with partitions, and what is ignored here.
    ///
    /// - Returns: nothing if it is cut.
    private static func assigned(_ bytes: UnsafeRawBufferPointer) -> [TopicPartition] {
        var position = 0
        func number<Value: FixedWidthInteger>(_: Value.Type) -> Value? {
            guard position + MemoryLayout<Value>.size <= bytes.count else { return nil }
            defer { position += MemoryLayout<Value>.size }
            return Value(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: Value.self))
        }
        var places: [TopicPartition] = []
        guard number(Int16.self) != nil, let topics = number(Int32.self) else { return [] }
        for _ in 0..<max(0, topics) {
            guard let length = number(Int16.self), length >= 0, position + Int(length) <= bytes.count else { return [] }
            let name = String(decoding: bytes[position..<position + Int(length)], as: UTF8.self)
            position += Int(length)
            guard let count = number(Int32.self) else { return [] }
            for _ in 0..<max(0, count) {
                guard let partition = number(Int32.self) else { return [] }
                places.append(TopicPartition(name, Partition(partition)))
            }
        }
        return places.sorted()
    }
}
