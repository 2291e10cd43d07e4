extension ICalendar {
    /// Reads the properties of a calendar object itself, which stand before its first component: values as they are
    /// written, by name. Of several lines with one name the first counts.
    package static func header(of text: [UInt8]) -> [String: String] {
        var header: [String: String] = [:]
        for (_, line) in ContentLines(text) {
            guard let end = line.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") }),
                let colon = line.firstIndex(of: UInt8(ascii: ":"))
            else { continue }
            let name = String(decoding: line[..<end], as: UTF8.self)
            let value = String(decoding: line[colon...].dropFirst(), as: UTF8.self)
            if name == "BEGIN" && value != "VCALENDAR" { break }
            if header[name] == nil { header[name] = value }
        }
        return header
    }
}
