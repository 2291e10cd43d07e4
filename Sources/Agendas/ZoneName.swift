import Timelines

/// Finds the IANA name in what calendar programs write into TZID.
enum ZoneName {
    /// The name itself, the name inside a wrapper such as `/mozilla.org/20050126_1/Europe/Berlin`, or that of a
    /// Windows zone; nil for all others, an IANA name in another spelling included: `Europe/lisbon` is no
    /// `Europe/Lisbon`.
    static func iana(_ name: String) -> String? {
        let name = bare(name)
        if LocalCalendar(name) != nil { return name }
        if let known = windows[name] { return known }
        guard name.hasPrefix("/") else { return nil }
        let parts = name.split(separator: "/")
        // Some wrap names that need no area, such as UTC.
        for count in [3, 2, 1] where parts.count >= count {
            let inner = parts.suffix(count).joined(separator: "/")
            if LocalCalendar(inner) != nil { return inner }
        }
        return nil
    }

    /// Without the quotation marks and spaces around it.
    static func bare(_ name: String) -> String {
        name.filter { $0 != "\"" }.trimmed
    }
}
