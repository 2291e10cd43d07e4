/// A failure of a connection, or of a command, in the server's words.
package struct RedisError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// There is no connection any more, or none was made. Of commands without a reply nobody knows what they did.
        case lost
        /// Nobody knows a machine of that name.
        case unknownHost
        /// The server cannot do it now, and may later: it loads, is a replica, or has no memory or disk left.
        case busy
        /// Wrong credentials, none, or not the right to do that.
        case denied
        /// The command is wrong for this server, or for what is there.
        case failed
    }

    package var kind: Kind
    package var description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// The text of an error reply: its first word is a code.
    init(reply: String) {
        let code = reply.prefix { $0 != " " }
        self.init(Self.kind(String(code), reply), reply)
    }

    private static func kind(_ code: String, _ reply: String) -> Kind {
        switch code {
        case "LOADING", "BUSY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "OOM", "MISCONF", "READONLY", "NOREPLICAS":
            .busy
        case "NOAUTH", "WRONGPASS", "NOPERM", "DENIED": .denied
        case "ERR" where reply.contains("max number of clients"): .busy
        case "ERR" where reply.contains("invalid password") || reply.contains("without any password configured"):
            .denied
        default: .failed
        }
    }

    /// The command was a part of a transaction of which another command was refused; that one says why.
    package var isAbort: Bool { description.hasPrefix("EXECABORT") }
    /// A text was longer than the server takes (`proto-max-bulk-len`). It closes the connection after that.
    package var isTextTooLong: Bool { description.contains("invalid bulk length") }
}
