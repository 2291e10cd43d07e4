import CPostgres

/// A failure of a statement or a connection, in the server's words or libpq's.
package struct PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The five characters of the standard; `nil` if the failure is the connection's.
    package let code: String?
    /// One line.
    package let message: String
    /// What the server adds; `nil` if it adds nothing, or the rows that it would show.
    package var detail: String?
    /// The index or constraint that refuses a value.
    package var constraint: String?
    /// What libpq itself says cannot work, without a code: a certificate, a password that is missing.
    package var isOfSettings = false

    /// What to do next.
    package enum Kind: Hashable, Sendable {
        /// It may be over soon: the connection, the server's state or its disk.
        case passing
        /// A value of one row is the reason.
        case value
        /// Not before somebody changes something: rights, tables, names.
        case lasting
    }

    package var kind: Kind {
        guard let code else { return isOfSettings ? .lasting : .passing }
        return switch code.prefix(2) {
        // 25 is a standby that only reads, or a transaction that has failed; 57P04, a dropped database, does not pass.
        case "08", "40", "53", "55", "58", "XX", "25": .passing
        case "57": code == "57P04" ? .lasting : .passing
        case "22", "23", "54", "P0": .value
        default: .lasting
        }
    }

    /// True if the name of a server's host cannot be found, by what libpq says. Where nobody can be asked for names it
    /// is not known whether that is so.
    package var isUnknownHost: Bool {
        code == nil && message.contains("could not translate host name")
            && !message.contains("Temporary failure in name resolution")
    }

    package var description: String {
        let added = detail.map { ": \($0)" } ?? ""
        return code.map { "\(message) (\($0))\(added)" } ?? message + added
    }

    /// A failure without a code.
    init(lost message: String) {
        code = nil
        self.message = Self.oneLine(message)
    }

    /// The failure of a result.
    init(_ result: OpaquePointer) {
        func field(_ letter: Unicode.Scalar) -> String? {
            PQresultErrorField(result, Int32(letter.value)).map { String(cString: $0) }
        }
        code = field("C")
        message = Self.oneLine(field("M") ?? PQresultErrorMessage(result).map { String(cString: $0) } ?? "")
        // The detail of a constraint is the row, and rows do not belong in logs.
        detail = code?.hasPrefix("23") == true ? nil : field("D").map(Self.oneLine)
        constraint = field("n")
    }

    /// The failure of an attempt to connect, with the texts of all servers that were tried.
    ///
    /// - Parameter text: as libpq puts it with `PQERRORS_VERBOSE`; only so it shows the server's code.
    init(connecting text: String, needsPassword: Bool) {
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("LOCATION:") }
        let plain = lines.joined(separator: "\n")
        let found = plain.firstMatch(of: /(?:FATAL|ERROR): +([0-9A-Z]{5}):[ ]/)
        code = found.map { String($0.1) }
        message = Self.oneLine(plain.replacing(/(FATAL|ERROR): +[0-9A-Z]{5}:[ ]/) { "\($0.1): " })
        let settings = ["certificate", "server does not support SSL", "private key", "invalid ", "password supplied"]
        isOfSettings = needsPassword || settings.contains { plain.contains($0) }
    }

    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " || $0 == "\t" } }.joined(separator: "; ")
    }
}
