import Foundation

/// The hosts of a list of brokers, `HOST:PORT[,HOST:PORT]`.
struct HostNames {
    /// The names without ports, in the order of the list.
    let names: [String]

    init(of bootstrap: String) {
        names = bootstrap.split(separator: ",").map { broker in
            let host = broker.lastIndex(of: ":").map { broker[..<$0] } ?? broker
            return host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : String(host)
        }
    }

    /// The names, if none of them can be found; else nothing. Blocks for as long as names are looked up.
    ///
    /// Where nobody can be asked for names, none counts as unknown.
    var unknown: [String] { names.allSatisfy { Self.isUnknown($0) } ? names : [] }

    private static func isUnknown(_ name: String) -> Bool {
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, nil, &list)
        if let list { freeaddrinfo(list) }
        // The second one is EAI_NODATA: the name is known, and has no address.
        return code == EAI_NONAME || code == -5
    }
}
