internal import Timelines

/// The members of a JSON object, read by key. A member that is null counts as absent: its reader returns `nil`. A
/// problem names the path.
struct MessageFields {
    let members: Parameters
    private let path: String

    init(_ members: Parameters, path: String = "") {
        self.members = members
        self.path = path
    }

    init(_ value: ParameterValue, path: String) throws(MessageProblem) {
        guard case .object(let members) = value else { throw .wrongType(path, "an object") }
        self.init(members, path: path)
    }

    /// The name of a member in a problem.
    func path(to key: String) -> String {
        path.isEmpty ? key : "\(path).\(key)"
    }

    /// The member's value; `nil` if the member is absent or null.
    subscript(key: String) -> ParameterValue? {
        guard let value = members[key], value != .null else { return nil }
        return value
    }

    func require<Value>(_ key: String, _ value: Value?) throws(MessageProblem) -> Value {
        guard let value else { throw .missing(path(to: key)) }
        return value
    }

    // MARK: - Scalars

    func text(_ key: String) throws(MessageProblem) -> String? {
        guard let value = self[key] else { return nil }
        guard case .string(let text) = value else { throw .wrongType(path(to: key), "text") }
        return text
    }

    /// Reads an identifier: text, or a number's decimal text.
    func identifier(_ key: String) throws(MessageProblem) -> String? {
        guard let value = self[key] else { return nil }
        return try identifier(value, path: path(to: key))
    }

    /// Reads an identifier that must be there and must not be empty.
    func requiredIdentifier(_ key: String) throws(MessageProblem) -> String {
        let identifier = try require(key, identifier(key))
        guard !identifier.isEmpty else {
            throw .notAllowed(path(to: key), "text that is not empty, or a number")
        }
        return identifier
    }

    func bool(_ key: String) throws(MessageProblem) -> Bool? {
        guard let value = self[key] else { return nil }
        guard case .bool(let bool) = value else { throw .wrongType(path(to: key), "true or false") }
        return bool
    }

    /// Reads a whole number within `range`; `allowed` says the range in words that follow "must be".
    func integer(_ key: String, in range: ClosedRange<Int64>, _ allowed: String) throws(MessageProblem) -> Int64? {
        guard let value = self[key] else { return nil }
        guard case .number(let text) = value else { throw .wrongType(path(to: key), allowed) }
        guard let integer = Int64(text), range ~= integer else { throw .notAllowed(path(to: key), allowed) }
        return integer
    }

    /// Reads a finite number within `range`; `allowed` says the range in words that follow "must be".
    func number(
        _ key: String, in range: ClosedRange<Double> = -.greatestFiniteMagnitude ... .greatestFiniteMagnitude,
        _ allowed: String = "a number"
    ) throws(MessageProblem) -> Double? {
        guard let value = self[key] else { return nil }
        guard case .number(let text) = value else { throw .wrongType(path(to: key), allowed) }
        guard let number = Double(text), range ~= number else { throw .notAllowed(path(to: key), allowed) }
        return number
    }

    /// Reads an instant: RFC 3339 with offset, or whole milliseconds since 1970.
    func instant(_ key: String) throws(MessageProblem) -> Instant? {
        guard let value = self[key] else { return nil }
        let allowed = "an RFC 3339 date-time with offset, or whole milliseconds since 1970"
        switch value {
        case .string(let text):
            guard let instant = Instant(rfc3339: text) else { throw .notAllowed(path(to: key), allowed) }
            return instant
        case .number(let text):
            guard let milliseconds = Int64(text), Instant.writable.contains(milliseconds) else {
                throw .notAllowed(path(to: key), allowed)
            }
            return Instant(milliseconds: milliseconds)
        default:
            throw .wrongType(path(to: key), allowed)
        }
    }

    /// Reads an ISO 8601 date.
    func date(_ key: String) throws(MessageProblem) -> LocalDate? {
        guard let text = try text(key) else { return nil }
        guard let date = LocalDate(iso8601: text) else {
            throw .notAllowed(path(to: key), "a date, such as 2026-11-20")
        }
        return date
    }

    /// Reads an ISO 8601 duration within the bounds of leads (Documentation/Rules/Timelines.md).
    func lead(_ key: String) throws(MessageProblem) -> CalendarDuration? {
        guard let text = try text(key) else { return nil }
        guard let lead = OptionForm.lead.value(.string(text)) else {
            throw .notAllowed(path(to: key), OptionForm.lead.allowed)
        }
        return lead
    }

    /// Reads one of an enumeration's names. The problem lists them all and suggests the one that was probably meant.
    func name<Name>(_ key: String, of type: Name.Type) throws(MessageProblem) -> Name?
    where Name: RawRepresentable<String> & CaseIterable {
        guard let value = self[key] else { return nil }
        guard case .string(let text) = value else { throw .wrongType(path(to: key), allowed(type)) }
        if let name = Name(rawValue: text) { return name }
        let nearest = nearestName(to: text, among: type.allCases.map(\.rawValue))
        let suggestion = nearest.map { "; did you mean \($0)?" } ?? ""
        throw .notAllowed(path(to: key), allowed(type) + suggestion)
    }

    private func allowed<Name>(_ type: Name.Type) -> String where Name: RawRepresentable<String> & CaseIterable {
        "one of \(type.allCases.map(\.rawValue).joined(separator: ", "))"
    }

    // MARK: - Lists and objects

    func fields(_ key: String) throws(MessageProblem) -> MessageFields? {
        guard let value = self[key] else { return nil }
        return try MessageFields(value, path: path(to: key))
    }

    /// Reads a list: its elements with their paths.
    func list(_ key: String, _ allowed: String) throws(MessageProblem) -> [(value: ParameterValue, path: String)]? {
        guard let value = self[key] else { return nil }
        guard case .array(let elements) = value else { throw .wrongType(path(to: key), allowed) }
        return elements.enumerated().map { ($1, "\(path(to: key))[\($0)]") }
    }

    func objects(_ key: String) throws(MessageProblem) -> [MessageFields]? {
        guard let elements = try list(key, "a list of objects") else { return nil }
        var objects: [MessageFields] = []
        for element in elements { objects.append(try MessageFields(element.value, path: element.path)) }
        return objects
    }

    func texts(_ key: String) throws(MessageProblem) -> [String]? {
        guard let elements = try list(key, "a list of texts") else { return nil }
        var texts: [String] = []
        for element in elements {
            guard case .string(let text) = element.value else { throw .wrongType(element.path, "text") }
            texts.append(text)
        }
        return texts
    }

    func identifiers(_ key: String) throws(MessageProblem) -> [String]? {
        guard let elements = try list(key, "a list of texts or numbers") else { return nil }
        var identifiers: [String] = []
        for element in elements { identifiers.append(try identifier(element.value, path: element.path)) }
        return identifiers
    }

    private func identifier(_ value: ParameterValue, path: String) throws(MessageProblem) -> String {
        switch value {
        case .string(let text), .number(let text): return text
        default: throw .wrongType(path, "text or a number")
        }
    }
}
