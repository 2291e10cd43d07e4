import CRdKafka
import RecordLog

extension RdKafkaAdmin {
    func accessRules(timeout: Duration) throws(LogError) -> [AccessRule] {
        serveEvents()
        // Before 2.6 it warns of each rule about a transactional id, whose type it does not know.
        var quiet = settings
        quiet.log = nil
        let client = try quiet.makeClient(.admin(isolation: .readUncommitted), clientId: Self.clientId)
        defer { client.destroy() }
        let request = try AdminRequest(
            client, RD_KAFKA_ADMIN_OP_DESCRIBEACLS, name: "DescribeAcls", timeout: timeout)
        let (filter, text) = withErrorText {
            rd_kafka_AclBindingFilter_new(
                RD_KAFKA_RESOURCE_ANY, nil, RD_KAFKA_RESOURCE_PATTERN_ANY, nil, nil, RD_KAFKA_ACL_OPERATION_ANY,
                RD_KAFKA_ACL_PERMISSION_TYPE_ANY, $0, $1)
        }
        guard let filter else { throw LogError(RD_KAFKA_RESP_ERR__INVALID_ARG, text, about: "access rules") }
        defer { rd_kafka_AclBinding_destroy(filter) }
        rd_kafka_DescribeAcls(client.pointer, filter, request.options, request.queue)

        let answer = try request.answer()
        let result = rd_kafka_event_DescribeAcls_result(answer.event)
        return elements({ rd_kafka_DescribeAcls_result_acls(result, $0) }).map { AccessRule(reading: $0) }
    }

    func grant(
        _ permissions: [Permission], to principal: String, timeout: Duration
    ) throws(LogError) -> [LogError?] {
        serveEvents()
        var outcomes: [LogError?] = []
        var bindings: [OpaquePointer?] = []
        var places: [Int] = []
        defer { rd_kafka_AclBinding_destroy_array(&bindings, bindings.count) }
        for (place, permission) in permissions.enumerated() {
            let (binding, text) = Self.binding(permission, principal)
            if let binding {
                bindings.append(binding)
                places.append(place)
                outcomes.append(nil)
            } else {
                outcomes.append(
                    LogError(
                        .unsupported, name: "UNSUPPORTED",
                        "librdkafka \(String(cString: rd_kafka_version_str())) cannot name it in a rule: \(text)"))
            }
        }
        if bindings.isEmpty { return outcomes }
        let request = try AdminRequest(client, RD_KAFKA_ADMIN_OP_CREATEACLS, name: "CreateAcls", timeout: timeout)
        rd_kafka_CreateAcls(client.pointer, &bindings, bindings.count, request.options, request.queue)

        let answer = try request.answer()
        let result = rd_kafka_event_CreateAcls_result(answer.event)
        let answers = elements({ rd_kafka_CreateAcls_result_acls(result, $0) })
        for (place, outcome) in zip(places, answers) {
            outcomes[place] = rd_kafka_acl_result_error(outcome).map { LogError(describing: $0) }
        }
        return outcomes
    }

    /// The number by which brokers know transactional ids. librdkafka has a name for it from 2.6 on, and refuses it
    /// before.
    fileprivate static var transactionalId: rd_kafka_ResourceType_t { rd_kafka_ResourceType_t(rawValue: 5) }

    /// - Returns: `nil` if librdkafka does not know such a rule, with what it says of that.
    private static func binding(_ permission: Permission, _ principal: String) -> (OpaquePointer?, String) {
        let (literal, prefixed) = (RD_KAFKA_RESOURCE_PATTERN_LITERAL, RD_KAFKA_RESOURCE_PATTERN_PREFIXED)
        let operation = permission.operation.ofRules
        return switch permission.resource {
        case .topic(let name): binding(operation, RD_KAFKA_RESOURCE_TOPIC, name, literal, principal)
        case .group(let name): binding(operation, RD_KAFKA_RESOURCE_GROUP, name, literal, principal)
        case .transactionalId(let id): binding(operation, transactionalId, id, literal, principal)
        case .transactionalIds(let prefix): binding(operation, transactionalId, prefix, prefixed, principal)
        }
    }

    private static func binding(
        _ operation: rd_kafka_AclOperation_t, _ type: rd_kafka_ResourceType_t, _ name: String,
        _ pattern: rd_kafka_ResourcePatternType_t, _ principal: String
    ) -> (OpaquePointer?, String) {
        let (binding, text) = withErrorText {
            rd_kafka_AclBinding_new(
                type, name, pattern, principal, "*", operation, RD_KAFKA_ACL_PERMISSION_TYPE_ALLOW, $0, $1)
        }
        return (binding, text)
    }
}

extension AccessRule {
    /// Copies a rule as librdkafka has read it.
    fileprivate init(reading binding: OpaquePointer) {
        func text(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }
        let resource: Resource =
            switch rd_kafka_AclBinding_restype(binding) {
            case RD_KAFKA_RESOURCE_TOPIC: .topic
            case RD_KAFKA_RESOURCE_GROUP: .group
            // Brokers' number of it is that of the whole cluster.
            case RD_KAFKA_RESOURCE_BROKER: .cluster
            case RdKafkaAdmin.transactionalId: .transactionalId
            default: .other
            }
        self.init(
            principal: text(rd_kafka_AclBinding_principal(binding)), host: text(rd_kafka_AclBinding_host(binding)),
            operations: Operations(rd_kafka_AclBinding_operation(binding)), resource: resource,
            name: text(rd_kafka_AclBinding_name(binding)),
            isPrefix: rd_kafka_AclBinding_resource_pattern_type(binding) == RD_KAFKA_RESOURCE_PATTERN_PREFIXED,
            isDenial: rd_kafka_AclBinding_permission_type(binding) == RD_KAFKA_ACL_PERMISSION_TYPE_DENY)
    }
}

extension AccessRule.Operations {
    fileprivate init(_ operation: rd_kafka_AclOperation_t) {
        let known: [Permission.Operation] = [
            .read, .write, .create, .delete, .alter, .describe, .describeConfigs, .alterConfigs,
        ]
        if operation == RD_KAFKA_ACL_OPERATION_ALL {
            self = .all
        } else {
            self = known.first { $0.ofRules == operation }.map { .only($0) } ?? .other
        }
    }
}

extension Permission.Operation {
    fileprivate var ofRules: rd_kafka_AclOperation_t {
        switch self {
        case .read: RD_KAFKA_ACL_OPERATION_READ
        case .write: RD_KAFKA_ACL_OPERATION_WRITE
        case .create: RD_KAFKA_ACL_OPERATION_CREATE
        case .delete: RD_KAFKA_ACL_OPERATION_DELETE
        case .alter: RD_KAFKA_ACL_OPERATION_ALTER
        case .describe: RD_KAFKA_ACL_OPERATION_DESCRIBE
        case .describeConfigs: RD_KAFKA_ACL_OPERATION_DESCRIBE_CONFIGS
        case .alterConfigs: RD_KAFKA_ACL_OPERATION_ALTER_CONFIGS
        }
    }
}
