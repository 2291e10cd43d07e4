package import HTTPServer
package import Timelines

/// The parameters of a request's query, held strictly to those that its route declares.
package struct QueryParameters: Sendable {
    private let values: [String: String]

    /// - Throws: 400 for parameters that the route does not have, and for those that come twice. All are named.
    package init(_ fields: [HTTPField], allowed: [String]) throws(Problem) {
        var values: [String: String] = [:]
        var errors: [Problem.FieldError] = []
        for field in fields {
            let name = field.name
            if !allowed.contains(name) {
                let message = allowed.isEmpty ? "is unknown; this route has no parameters" : "is unknown"
                errors.append(.init(field: name, message: message, allowed: allowed.isEmpty ? nil : allowed))
            } else if values.updateValue(field.value, forKey: name) != nil {
                errors.append(.init(field: name, message: "is given twice"))
            }
        }
        guard errors.isEmpty else { throw .invalidParameters(errors) }
        self.values = values
    }

    package func has(_ name: String) -> Bool { values[name] != nil }

    /// - Throws: 400 if the text is empty or holds control characters.
    package func text(_ name: String) throws(Problem) -> String? {
        guard let text = values[name] else { return nil }
        guard !text.isEmpty, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
            throw .invalidParameter(name, "must be text that is not empty and has no control characters")
        }
        return text
    }

    package func integer(_ name: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64? {
        guard let text = values[name] else { return nil }
        let isPlain = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isPlain, let integer = Int64(text), range.contains(integer) else {
            let end =
                range.upperBound == .max ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
            throw .invalidParameter(name, "must be a whole number, \(end)")
        }
        return integer
    }

    /// Reads `limit`: 1 to 500.
    package func limit(otherwise standard: Int = 100) throws(Problem) -> Int {
        try integer("limit", in: 1...500).map(Int.init) ?? standard
    }

    package func bool(_ name: String) throws(Problem) -> Bool? {
        switch values[name] {
        case nil: return nil
        case "true": return true
        case "false": return false
        default: throw .invalidParameter(name, "must be true or false", allowed: ["true", "false"])
        }
    }

    package static let instantAllowed = "must be an RFC 3339 date-time with offset, or whole milliseconds since 1970"

    /// Reads an instant: RFC 3339, or whole milliseconds since 1970. A `+` that a client forgot to encode has become a
    /// space and is read as one.
    package func instant(_ name: String) throws(Problem) -> Instant? {
        guard let text = values[name] else { return nil }
        guard let instant = Self.instant(text) else { throw .invalidParameter(name, Self.instantAllowed) }
        return instant
    }

    package static func instant(_ text: String) -> Instant? {
        if let milliseconds = Int64(text) {
            return Instant.writable.contains(milliseconds) ? Instant(milliseconds: milliseconds) : nil
        }
        return Instant(rfc3339: String(text.map { $0 == " " ? "+" : $0 }))
    }

    /// Reads one of an enumeration's names.
    package func name<Name>(_ name: String, of type: Name.Type) throws(Problem) -> Name?
    where Name: RawRepresentable<String> & CaseIterable {
        guard let text = values[name] else { return nil }
        return try Self.value(text, name, type)
    }

    /// Reads names of an enumeration, separated by commas: at least one, each once.
    package func names<Name>(_ name: String, of type: Name.Type) throws(Problem) -> [Name]?
    where Name: RawRepresentable<String> & CaseIterable & Equatable {
        guard let text = values[name] else { return nil }
        var names: [Name] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let value = try Self.value(String(part), name, type)
            if !names.contains(value) { names.append(value) }
        }
        return names
    }

    private static func value<Name>(_ text: String, _ name: String, _ type: Name.Type) throws(Problem) -> Name
    where Name: RawRepresentable<String> & CaseIterable {
        if let value = Name(rawValue: text) { return value }
        let allowed = type.allCases.map(\.rawValue)
        let nearest = nearestName(to: text, among: allowed).map { "; did you mean \($0)?" } ?? ""
        throw .invalidParameter(name, "must be one of \(allowed.joined(separator: ", "))\(nearest)", allowed: allowed)
    }
}
