package import Timelines

/// A value of the `timeline.reloads` topic: tells a recipient which widget kind to reload (M8; L1 to L9).
package struct ReloadNotification: Hashable, Sendable {
    package var recipient: String
    package var kind: String
    /// The configurations to reload, ascending by UTF-8 bytes, each once; at least one.
    package private(set) var configurationIds: [String]
    package var reason: Reason
    /// The highest of the configurations' revisions.
    package var revision: Revision
    package var issuedAt: Instant
    /// The budget after this reload of the named configuration that has the fewest tokens.
    package var budget: ReloadBudget

    /// - Parameter configurationIds: the configurations in any order, at least one.
    package init(
        recipient: String, kind: String, configurationIds: some Sequence<String>, reason: Reason, revision: Revision,
        issuedAt: Instant, budget: ReloadBudget
    ) {
        self.recipient = recipient
        self.kind = kind
        self.configurationIds = Array(configurationIds)
        // Nearly every reload names one.
        if self.configurationIds.count > 1 {
            let sorted = self.configurationIds.sorted { $0.precedesByUTF8($1) }
            self.configurationIds = []
            for id in sorted where self.configurationIds.last?.isSameByUTF8(as: id) != true {
                self.configurationIds.append(id)
            }
        }
        precondition(!self.configurationIds.isEmpty, "a reload names at least one configuration")
        self.reason = reason
        self.revision = revision
        self.issuedAt = issuedAt
        self.budget = budget
    }

    /// The reason of a reload. Of several reasons the strongest is named, which is the greatest.
    package enum Reason: String, CaseIterable, Comparable, Sendable {
        case requested, configurationChanged, statusChanged, dataChanged, scheduled, retry

        /// 0 is the strongest.
        private var rank: Int {
            switch self {
            case .requested: 0
            case .configurationChanged: 1
            case .statusChanged: 2
            case .dataChanged: 3
            case .scheduled: 4
            case .retry: 5
            }
        }

        /// Compares by strength: a stronger reason is greater.
        package static func < (left: Reason, right: Reason) -> Bool { left.rank > right.rank }
    }
}

// MARK: - JSON

extension ReloadNotification {
    /// Writes the value of the record (M8).
    package func write(to json: inout JSONWriter) {
        json.beginObject()
        json.string("recipient", recipient)
        json.string("kind", kind)
        json.strings("configurationIds", configurationIds)
        json.string("reason", reason.rawValue)
        json.integer("revision", revision.rawValue)
        json.instant("issuedAt", issuedAt)
        json.budget("budget", budget)
        json.endObject()
    }

    /// Reads a value of the `timeline.reloads` topic.
    ///
    /// - Throws: if a field is missing or not allowed; the problem names it.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, with parser: inout JSONParser
    ) throws(MessageProblem) -> ReloadNotification {
        let fields = MessageFields(try parser.object(bytes))
        let ids = try fields.require("configurationIds", fields.identifiers("configurationIds"))
        guard !ids.isEmpty else { throw .notAllowed("configurationIds", "a list that is not empty") }
        return ReloadNotification(
            recipient: try fields.requiredIdentifier("recipient"),
            kind: try fields.require("kind", fields.text("kind")),
            configurationIds: ids,
            reason: try fields.require("reason", fields.name("reason", of: Reason.self)),
            revision: Revision(
                try fields.require("revision", fields.integer("revision", in: 0...Int64.max, "a whole number"))),
            issuedAt: try fields.require("issuedAt", fields.instant("issuedAt")),
            budget: try ReloadBudget(fields.require("budget", fields.fields("budget"))))
    }
}

extension JSONWriter {
    mutating func budget(_ name: StaticString, _ budget: ReloadBudget?) {
        object(name, budget) { json, budget in
            json.integer("limit", budget.limit)
            json.integer("remaining", budget.remaining)
            json.instant("resetsAt", budget.resetsAt)
        }
    }
}

extension ReloadBudget {
    init(_ fields: MessageFields) throws(MessageProblem) {
        self.init(
            limit: try fields.count("limit"), remaining: try fields.count("remaining"),
            resetsAt: try fields.require("resetsAt", fields.instant("resetsAt")))
    }
}
