import Foundation
import Messages

/// An object of a JSON file: its bytes as they are, and access to its own members.
package struct JSONObject {
    /// The text of the object as it stands in the file.
    package var bytes: [UInt8]
    /// The line on which it begins.
    package var line: Int
    /// The column at which it begins, in characters from 1.
    package var column: Int
    var members: [JSONScanner.Member]

    /// The text of a string, or of a number as it is written (an identifier may be either); `nil` if the member is
    /// missing or is anything else. If a name comes twice, the last one counts.
    func text(_ name: String) -> String? {
        guard let value = value(name), let first = value.first else { return nil }
        switch first {
        case UInt8(ascii: "\""): return Self.string(value)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return String(decoding: value, as: UTF8.self)
        default: return nil
        }
    }

    /// True if the member is the literal `true`.
    package func isTrue(_ name: String) -> Bool {
        value(name).map { $0.elementsEqual("true".utf8) } ?? false
    }

    var memberNames: [String] { members.compactMap { Self.string(bytes[$0.name]) } }

    func member(_ name: String) -> InputContent.Member {
        guard let value = value(name) else { return .absent }
        if value.elementsEqual("null".utf8) { return .null }
        return text(name).map { .text($0) } ?? .other
    }

    /// The bytes of a member's value; `nil` if the member is missing.
    func value(_ name: String) -> ArraySlice<UInt8>? {
        let member = members.last { Self.string(bytes[$0.name]) == name }
        return member.map { bytes[$0.value] }
    }

    static func string(_ quoted: ArraySlice<UInt8>) -> String? {
        guard quoted.contains(UInt8(ascii: "\\")) else {
            return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
        }
        return try? JSONDecoder().decode(String.self, from: Data(quoted))
    }
}

extension JSONObject {
    /// The line of the file on which a member begins, that of a member of an inner object too: `["strategy", "every"]`.
    /// The line of the last member on the path that is there, if the path leads nowhere.
    package func line(of path: some Sequence<String>) -> Int { place(of: path).line }

    /// Line and column, both from 1, of a field as problems name it: `series.fuel[2].at`.
    package func place(ofField field: String?) -> (line: Int, column: Int) {
        place(of: (field ?? "").split { $0 == "." || $0 == "[" }.map { String($0) })
    }

    private func place(of path: some Sequence<String>) -> (line: Int, column: Int) {
        var place = 0
        var members = members
        for name in path {
            guard let member = members.last(where: { Self.string(bytes[$0.name]) == name }) else { break }
            place = member.name.lowerBound
            members = innerMembers(of: member)
        }
        let before = bytes[..<place]
        guard let lineEnd = before.lastIndex(of: UInt8(ascii: "\n")) else {
            return (line, column + before.characterCount)
        }
        return (line + before.count { $0 == UInt8(ascii: "\n") }, before[lineEnd...].characterCount)
    }

    private func innerMembers(of member: JSONScanner.Member) -> [JSONScanner.Member] {
        guard bytes[member.value.lowerBound] == UInt8(ascii: "{") else { return [] }
        return bytes.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes, at: member.value.lowerBound)
            return (try? scanner.scanObject()) ?? []
        }
    }
}

extension Collection<UInt8> {
    /// The number of Unicode scalars that begin in these bytes of UTF-8.
    var characterCount: Int { count { $0 & 0xc0 != 0x80 } }
}
