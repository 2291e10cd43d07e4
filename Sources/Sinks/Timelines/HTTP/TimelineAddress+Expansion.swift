import Crypto
import Messages

/// Where one timeline goes.
package struct TimelinePlace: Hashable, Sendable {
    package var url: String
    /// The host, with the port if one is named.
    package var host: String
}

extension TimelineAddress {
    /// Puts the fields of a timeline in.
    ///
    /// - Parameters:
    ///   - head: what the timeline says of itself; `nil` if the address has `{configurationId}` alone.
    ///   - allowed: the hosts that may come of fields in the host.
    ///   - setting: the name of the setting that says so.
    /// - Throws: why this timeline has no address. It names the field.
    func place(
        of configurationId: String, _ head: TimelineHead?, allowed: [AllowedHost], by setting: String
    ) throws(MessageProblem) -> TimelinePlace {
        var host = ""
        var field: Field?
        for piece in authority {
            switch piece {
            case .text(let text): host += text
            case .field(let name, let part):
                field = name
                host += try value(of: name, in: part, configurationId, head)
            }
        }
        if let field, !allowed.contains(where: { $0.allows(String(host.prefix { $0 != ":" })) }) {
            throw problem(field, "makes the host \(host), which \(setting) does not allow")
        }
        var url = "\(scheme)://\(host)"
        for piece in rest {
            switch piece {
            case .text(let text): url += text
            case .field(let name, let part): url += try value(of: name, in: part, configurationId, head)
            }
        }
        return TimelinePlace(url: url, host: host)
    }

    private func value(
        of field: Field, in part: Part, _ configurationId: String, _ head: TimelineHead?
    ) throws(MessageProblem) -> String {
        let value =
            switch field {
            case .configurationId: configurationId
            case .recipient: head?.recipient ?? ""
            case .kind: head?.kind ?? ""
            case .family: head?.family ?? ""
            }
        if value.isEmpty { throw problem(field, "is empty, and the address has it") }
        switch part {
        case .host:
            guard AllowedHost.isLabel(value) else {
                throw problem(field, "cannot stand in a host: that takes 1 to 63 of a-z, 0-9 and - within")
            }
            return value
        case .path:
            // Servers decode a path and resolve its dots: it would be another timeline's.
            let segments = value.split(omittingEmptySubsequences: false) { "/\\".contains($0) }
            guard segments.allSatisfy({ !["", ".", ".."].contains($0) }) else {
                throw problem(field, "cannot stand in a path: between its slashes is nothing, '.' or '..'")
            }
            return Self.escaped(value)
        case .query: return Self.escaped(value)
        }
    }

    private func problem(_ field: Field, _ text: String) -> MessageProblem {
        MessageProblem(.notAllowed, field: field.rawValue, text)
    }

    /// All but letters, digits and `-._~` by percent (RFC 3986 section 2.3).
    private static func escaped(_ value: String) -> String {
        var text = ""
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "%" + [byte].hexadecimal.uppercased()
            }
        }
        return text
    }
}
