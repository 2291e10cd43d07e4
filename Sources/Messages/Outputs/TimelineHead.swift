internal import CSimdjson
package import Timelines

/// The members of a value of the `timelines` topic that say what it is: whose, of which kind, and how new. The rest is
/// only checked to be JSON, so that values of later releases are read as well.
package struct TimelineHead: Hashable, Sendable {
    package var revision: Int64
    /// 0 if there is none.
    package var refreshCount: Int64 = 0
    package var generatedAt: Instant?
    /// Empty if there is none; `family` and `recipient`, too.
    package var kind = ""
    package var family = ""
    package var recipient = ""

    /// `nil` if the bytes are not a JSON object with a whole number as `revision`. Without framing: readers know none.
    package init?(_ bytes: UnsafeRawBufferPointer, with parser: inout JSONParser) {
        revision = 0
        var hasRevision = false
        if let members = parser.members(bytes) {
            for member in members {
                let integer = member.is_integer ? member.integer : nil
                guard take(member.key, member.type, member.text, integer, &hasRevision) else { return nil }
            }
        } else {
            guard let nodes = try? parser.document(bytes), nodes.first?.type == .object else { return nil }
            var index = 1
            while index < nodes.count {
                let (key, value) = (nodes[index].text, nodes[index + 1])
                guard take(key, value.type, value.text, Self.integer(value), &hasRevision) else { return nil }
                index = Self.end(of: index + 1, in: nodes)
            }
        }
        if !hasRevision { return nil }
    }

    /// Takes what a member says; of one that comes twice the last counts.
    ///
    /// - Returns: false if the value is none of a timeline.
    private mutating func take(
        _ key: csimdjson_text, _ type: csimdjson_type, _ text: csimdjson_text, _ integer: Int64?,
        _ hasRevision: inout Bool
    ) -> Bool {
        if Self.isEqual(key, "revision") {
            (revision, hasRevision) = (integer ?? 0, integer != nil)
        } else if Self.isEqual(key, "refreshCount") {
            guard type == .null || integer != nil else { return false }
            refreshCount = integer ?? 0
        } else if type == .string {
            if Self.isEqual(key, "generatedAt") {
                generatedAt = Instant(rfc3339: String(text))
            } else if Self.isEqual(key, "kind") {
                kind = String(text)
            } else if Self.isEqual(key, "family") {
                family = String(text)
            } else if Self.isEqual(key, "recipient") {
                recipient = String(text)
            }
        }
        return true
    }

    private static func isEqual(_ text: csimdjson_text, _ word: StaticString) -> Bool {
        csimdjson_text_equals(text, word.utf8Start, word.utf8CodeUnitCount)
    }

    private static func integer(_ node: csimdjson_node) -> Int64? {
        node.type == .number ? Int64(String(node.text)) : nil
    }

    /// The index behind a value and all that is in it.
    private static func end(of start: Int, in nodes: UnsafeBufferPointer<csimdjson_node>) -> Int {
        var (index, open) = (start, 1)
        while open > 0 {
            let node = nodes[index]
            open -= 1
            switch node.type {
            case .array: open += Int(node.count)
            case .object: open += 2 * Int(node.count)
            default: break
            }
            index += 1
        }
        return index
    }
}

extension TimelineHead {
    /// Reads the value of a timeline, or what `json` wrote. Revision, kind, family and recipient are read.
    ///
    /// - Throws: what keeps the bytes from being a timeline's.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, with parser: inout JSONParser
    ) throws(MessageProblem) -> TimelineHead {
        let fields = MessageFields(try parser.object(bytes))
        var head = TimelineHead(revision: try fields.count("revision"))
        head.kind = try fields.text("kind") ?? ""
        head.family = try fields.text("family") ?? ""
        head.recipient = try fields.text("recipient") ?? ""
        return head
    }

    private init(revision: Int64) { self.revision = revision }

    package var json: String {
        JSONWriter.object { json in
            json.string("kind", kind)
            json.string("family", family)
            json.string("recipient", recipient)
            json.integer("revision", revision)
        }
    }
}
