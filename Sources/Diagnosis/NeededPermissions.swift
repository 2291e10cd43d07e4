package import RecordLog

/// The permissions that the verbs of an application need, each with the verbs that need it.
///
/// A verb that looks at a topic asks for its settings, too, so `DescribeConfigs` goes with `Read` and `Write`.
package struct NeededPermissions {
    /// A permission, and the verbs that need it, in the order of `VerbNeeds.all`.
    package struct Need: Hashable, Sendable {
        package var permission: Permission
        package var verbs: [String]

        package init(permission: Permission, verbs: [String]) {
            self.permission = permission
            self.verbs = verbs
        }
    }

    /// Each permission once, in the order in which verbs first need them.
    package private(set) var all: [Need] = []

    private let application: String
    private let name: (NamedTopic) -> String
    private let isAbsent: (NamedTopic) -> Bool
    private let isAhead: Bool

    /// The names of all verbs that need any, `process` first.
    package static var verbs: [String] { VerbNeeds.all.map(\.verb) }

    /// - Parameters:
    ///   - application: the id, which is also the name of the group.
    ///   - name: the name of a topic on the brokers.
    ///   - isAbsent: true for a topic that is known not to exist: nobody can ask there for more than to make it.
    ///   - sendingSinks: the sinks over HTTP that the settings name, by their names in transactional ids. Where there
    ///     are none, all that one may be called are asked for.
    ///   - verbs: those that are looked at; `nil` stands for all.
    ///   - isAhead: true if also that counts which is needed once the absent topics are there.
    package init(
        application: String, sendingSinks: [String], of verbs: Set<String>? = nil, isAhead: Bool = false,
        name: @escaping (NamedTopic) -> String, isAbsent: @escaping (NamedTopic) -> Bool
    ) {
        self.application = application
        self.name = name
        self.isAbsent = isAbsent
        self.isAhead = isAhead
        for needs in VerbNeeds.all where verbs?.contains(needs.verb) ?? true {
            for use in needs.uses { add(use, needs.verb) }
            for operation in needs.group { add(Permission(operation, .group(application)), needs.verb) }
            for id in needs.transactionalIds { add(id, sendingSinks, needs.verb) }
        }
    }

    private mutating func add(_ use: VerbNeeds.Use, _ verb: String) {
        for topic in use.topics {
            for operation in use.operations where isAsked(operation, of: topic) {
                add(Permission(operation, .topic(name(topic))), verb)
            }
            if use.isMade && isAbsent(topic) { add(Permission(.create, .topic(name(topic))), verb) }
        }
    }

    /// To make a topic, or to look whether it is there, may be asked for though it is not.
    private func isAsked(_ operation: Permission.Operation, of topic: NamedTopic) -> Bool {
        operation == .create || operation == .describe || isAhead || !isAbsent(topic)
    }

    private mutating func add(_ id: VerbNeeds.TransactionalId, _ sinks: [String], _ verb: String) {
        switch id {
        case .named(let ending): add(Permission(.write, .transactionalId(application + ending)), verb)
        case .threads: add(Permission(.write, .transactionalIds(prefix: application + "-")), verb)
        case .sinks where sinks.isEmpty:
            add(Permission(.write, .transactionalIds(prefix: application + ".sink.")), verb)
        case .sinks:
            for sink in sinks { add(Permission(.write, .transactionalId("\(application).sink.\(sink)")), verb) }
        }
    }

    private mutating func add(_ permission: Permission, _ verb: String) {
        guard let index = all.firstIndex(where: { $0.permission == permission }) else {
            return all.append(Need(permission: permission, verbs: [verb]))
        }
        if !all[index].verbs.contains(verb) { all[index].verbs.append(verb) }
    }
}
