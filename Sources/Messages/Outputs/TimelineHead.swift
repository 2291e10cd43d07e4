/// What a timeline says of itself without its entries. Values of later releases may say more, and have words that this
/// one does not know.
package struct TimelineHead: Hashable, Sendable {
    /// Empty where the configuration names none.
    package var kind: String
    package var family: String
    package var recipient: String
    package var revision: Int64

    /// Reads the value of a timeline, or what `json` wrote.
    ///
    /// - Throws: what keeps the bytes from being a timeline's.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, with parser: inout JSONParser
    ) throws(MessageProblem) -> TimelineHead {
        let fields = MessageFields(try parser.object(bytes))
        return TimelineHead(
            kind: try fields.text("kind") ?? "", family: try fields.text("family") ?? "",
            recipient: try fields.text("recipient") ?? "", revision: try fields.count("revision"))
    }

    package var json: String {
        JSONWriter.object { json in
            json.string("kind", kind)
            json.string("family", family)
            json.string("recipient", recipient)
            json.integer("revision", revision)
        }
    }
}
