import Agendas
package import Timelines

/// The timeline that a calendar object shows: which of two is the newer one, and whose it is. Its properties begin with
/// `X-TIDELINE-`, which calendar programs pass over.
package struct TimelineCalendarStamp: Hashable, Sendable {
    package var configurationId: String
    package var recipient: String
    package var revision: Int64
    package var refreshCount: Int64
    package var generatedAt: Instant

    init(
        configurationId: String, recipient: String, revision: Int64, refreshCount: Int64, generatedAt: Instant
    ) {
        self.configurationId = configurationId
        self.recipient = recipient
        self.revision = revision
        self.refreshCount = refreshCount
        self.generatedAt = generatedAt
    }

    /// Reads the members of a timeline's value.
    init(_ fields: MessageFields) throws(MessageProblem) {
        configurationId = try fields.requiredIdentifier("configurationId")
        recipient = try fields.requiredIdentifier("recipient")
        revision = try fields.count("revision")
        refreshCount = try fields.integer("refreshCount", in: 0...Int64.max, "a whole number, 0 or more") ?? 0
        generatedAt = try fields.require("generatedAt", fields.instant("generatedAt"))
    }

    /// Reads what `write(to:)` wrote; `nil` if the bytes are not such a calendar object.
    package init?(calendar bytes: [UInt8]) {
        let header = ICalendar.header(of: bytes)
        guard let id = header[Names.configuration]?.percentDecoded, let owner = header[Names.recipient]?.percentDecoded,
            let revision = header[Names.revision].flatMap({ Int64($0) }),
            let count = header[Names.refreshCount].flatMap({ Int64($0) }),
            let time = header[Names.generatedAt].flatMap({ Instant(rfc3339: $0) })
        else { return nil }
        self.init(
            configurationId: id, recipient: owner, revision: revision, refreshCount: count, generatedAt: time)
    }

    func write(to text: inout ICalendarText) {
        text.line("\(Names.configuration):\(configurationId.percentEncoded)")
        text.line("\(Names.recipient):\(recipient.percentEncoded)")
        text.line("\(Names.revision):\(revision)")
        text.line("\(Names.refreshCount):\(refreshCount)")
        text.line("\(Names.generatedAt):\(generatedAt.rfc3339)")
    }

    private enum Names {
        static let configuration = "X-TIDELINE-CONFIGURATION"
        static let recipient = "X-TIDELINE-RECIPIENT"
        static let revision = "X-TIDELINE-REVISION"
        static let refreshCount = "X-TIDELINE-REFRESH-COUNT"
        static let generatedAt = "X-TIDELINE-GENERATED-AT"
    }
}

extension String {
    /// The text with all bytes percent-encoded that are not letters, digits, `-`, `.`, `_` or `~` of ASCII.
    var percentEncoded: String {
        var result = ""
        for byte in utf8 {
            switch Unicode.Scalar(byte) {
            case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }

    /// The text that was encoded; `nil` if it is none.
    package var percentDecoded: String? {
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
