import Messages
import Timelines

/// What keeps one record from being written or sent, and the field of it that is refused.
package struct BadRecord: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the field, such as `entries[0].event.title`; `nil` if it is the record as a whole, or nobody knows.
    package var field: String?
    package var reason: String

    package init(field: String? = nil, _ reason: String) {
        self.field = field
        self.reason = reason
    }

    package var description: String { field.map { "field \($0): \(reason)" } ?? reason }

    /// The text for whoever is told of it, in notices and in dead letters: it begins with the record's key.
    func text(of key: String, _ content: SinkContent) -> String {
        let title = content.title + " " + key.replacing("\u{0}", with: "\\u0000")
        return title + (field == nil ? ": " : ", ") + description
    }
}

extension BadRecord {
    /// Finds what keeps a value from being a timeline.
    init(noTimeline value: [UInt8]) {
        let members: Parameters
        do throws(MessageProblem) {
            var parser = JSONParser()
            members = try value.decoded { (bytes) throws(MessageProblem) in try parser.object(bytes) }
        } catch {
            self = .noTimeline
            return
        }
        if Self.integer(members["revision"]) == nil {
            self.init(field: "revision", "the value is not a timeline: this must be a whole number")
        } else if let count = members["refreshCount"], count != .null, Self.integer(count) == nil {
            self.init(field: "refreshCount", "the value is not a timeline: this must be a whole number, or missing")
        } else if case .array(let entries)? = members["entries"] {
            let index = entries.firstIndex { if case .object = $0 { false } else { true } }
            self =
                index.map { Self(field: "entries[\($0)]", "the value is not a timeline: this must be an object") }
                ?? .noTimeline
        } else {
            self.init(field: "entries", "the value is not a timeline: this must be a list")
        }
    }

    private static let noTimeline = BadRecord("the value is not a timeline, a JSON object with a revision")

    private static func integer(_ value: ParameterValue?) -> Int64? {
        if case .number(let text)? = value { Int64(text) } else { nil }
    }

    /// - Parameter what: stands before what is wrong with a message as a whole.
    init(_ problem: MessageProblem, _ what: String) {
        self.init(field: problem.field, problem.field == nil ? "\(what): \(problem.message)" : problem.message)
    }
}
