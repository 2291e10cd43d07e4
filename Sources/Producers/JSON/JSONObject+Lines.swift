extension JSONObject {
    /// The line of the file on which a member begins, that of a member of an inner object too: `["strategy", "every"]`.
    /// Of a path that leads nowhere, that of the last member on it that is there.
    package func line(of path: some Sequence<String>) -> Int {
        var place = 0
        var members = members
        for name in path {
            guard let member = members.last(where: { Self.string(bytes[$0.name]) == name }) else { break }
            place = member.name.lowerBound
            members = innerMembers(of: member)
        }
        return line + bytes[..<place].count { $0 == UInt8(ascii: "\n") }
    }

    private func innerMembers(of member: JSONScanner.Member) -> [JSONScanner.Member] {
        guard bytes[member.value.lowerBound] == UInt8(ascii: "{") else { return [] }
        return bytes.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes, at: member.value.lowerBound)
            return (try? scanner.scanObject()) ?? []
        }
    }
}
