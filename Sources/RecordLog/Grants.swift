/// The lines that grant what a client of a cluster lacks, for people to paste.
package struct Grants: Hashable, Sendable {
    private let bootstrap: String
    private let permissions: Set<Permission>
    private let options: String

    /// For a cluster of which this program's verb grants nothing.
    ///
    /// - Parameter bootstrap: the addresses of the cluster.
    package init(at bootstrap: String) {
        self.init(at: bootstrap, byVerb: [], options: "")
    }

    /// - Parameters:
    ///   - bootstrap: the addresses of the cluster.
    ///   - permissions: those that `tideline permissions` can grant, for a verb needs them.
    ///   - options: the words that lead that verb to the cluster and the application.
    package init(at bootstrap: String, byVerb permissions: Set<Permission>, options: String) {
        self.bootstrap = bootstrap
        self.permissions = permissions
        self.options = options
    }

    /// The whole line that grants a permission. It has a placeholder for the principal, which only somebody else knows.
    package func line(for permission: Permission) -> String {
        guard permissions.contains(permission) else { return permission.grant(at: bootstrap) }
        return "tideline permissions --apply --principal User:NAME --only \(permission.name.shellQuoted) \(options)"
    }

    /// What a producer of a transactional id needs, as verbs ask for it. The id itself where none asks for it.
    package func permission(forTransactionalId id: String) -> Permission {
        let own = Permission(.write, .transactionalId(id))
        if permissions.contains(own) { return own }
        // The widest is the first that is met, whatever the order of the set is.
        for end in id.utf8.indices.dropFirst() {
            let prefix = String(decoding: id.utf8[..<end], as: UTF8.self)
            let all = Permission(.write, .transactionalIds(prefix: prefix))
            if permissions.contains(all) { return all }
        }
        return own
    }
}

extension String {
    /// The text in quotes, as one word of a POSIX shell. A control character stands there as an escape sequence.
    package var shellQuoted: String {
        guard unicodeScalars.contains(where: \.isControl) else {
            // By scalars: a mark that combines would hide the quote before it.
            return "'" + unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
        }
        let escaped = utf8.map { byte -> String in
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\\"): "\\" + String(UnicodeScalar(byte))
            case 0x20..<0x7F: String(UnicodeScalar(byte))
            // Three digits: a digit that follows is not to be taken for one of them.
            default: "\\" + String(String(0o1000 + Int(byte), radix: 8).dropFirst())
            }
        }
        return "$'" + escaped.joined() + "'"
    }

    /// The text for a line that people read: each control character is written as its number, such as `\u{1B}`.
    package var inOneLine: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        return unicodeScalars.map { scalar in
            scalar.isControl ? "\\u{\(String(scalar.value, radix: 16, uppercase: true))}" : String(scalar)
        }.joined()
    }

    /// The text as one word of a POSIX shell: as it is where a shell changes nothing in it, else in quotes.
    package var shellWord: String {
        let isPlain = unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-", ":", "/", "=", ",", "@", "+": true
            default: false
            }
        }
        return isPlain && !isEmpty ? self : shellQuoted
    }
}

extension Unicode.Scalar {
    /// True for what a terminal obeys, and for what turns the direction of a text.
    fileprivate var isControl: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
