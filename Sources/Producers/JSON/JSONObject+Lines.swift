extension JSONObject {
    /// The line of the file on which a member begins, that of a member of an inner object too: `["strategy", "every"]`.
    /// Of a path that leads nowhere, that of the last member on it that is there.
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
    /// How many Unicode scalars these bytes of UTF-8 begin.
    var characterCount: Int { count { $0 & 0xc0 != 0x80 } }
}
