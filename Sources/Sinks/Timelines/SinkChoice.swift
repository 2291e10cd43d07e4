import Crypto
import Foundation

/// Which timelines a sink takes: those of configurations whose `sinks` name it and, if it is a default, of those that
/// name none; of these, the ones that meet every condition.
package struct SinkChoice: Hashable, Sendable {
    /// A member of a timeline, and the text that it must have.
    package struct Condition: Hashable, Sendable {
        package enum Member: String, CaseIterable, Sendable { case kind, family, recipient, configurationId }

        package var member: Member
        /// A `*` at the end stands for any text.
        package var text: String

        package init(_ member: Member, _ text: String) {
            self.member = member
            self.text = text
        }

        func accepts(_ value: String?) -> Bool {
            guard text.last == "*" else { return value == text }
            return value?.hasPrefix(text.dropLast()) ?? false
        }
    }

    package var name: String
    package var isDefault: Bool
    package var conditions: [Condition]

    package init(name: String, isDefault: Bool = true, conditions: [Condition] = []) {
        self.name = name
        self.isDefault = isDefault
        self.conditions = conditions
    }

    /// A number that two choices share if they are the same, whatever the order of their conditions is; not negative.
    package var digest: Int64 {
        let texts = conditions.map { "\($0.member.rawValue)=\($0.text)" }.sorted()
        let text = ([name, isDefault ? "default" : "named"] + texts).joined(separator: "\0")
        let bits = SHA256.hash(Array(text.utf8)).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int64(bits >> 1)
    }

    /// A tombstone is for every sink. A value that is no timeline meets all conditions: the target says what is wrong.
    func takes(_ record: SinkRecord) -> Bool {
        guard let value = record.value else { return true }
        guard record.sinks.map({ $0.contains(name) }) ?? isDefault else { return false }
        if conditions.isEmpty { return true }
        guard let members = try? JSONDecoder().decode(Members.self, from: Data(value)) else { return true }
        return conditions.allSatisfy { $0.accepts(members[$0.member]) }
    }

    private struct Members: Decodable {
        var kind: String?
        var family: String?
        var recipient: String?
        var configurationId: String?

        subscript(member: Condition.Member) -> String? {
            switch member {
            case .kind: kind
            case .family: family
            case .recipient: recipient
            case .configurationId: configurationId
            }
        }
    }
}
