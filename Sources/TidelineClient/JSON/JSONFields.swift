internal import Timelines

/// The members of a JSON object, read by key. A problem names the key with its path and says what is allowed.
struct JSONFields {
    let members: Parameters
    /// The path of the object with a dot at its end; empty for the outermost one.
    private let path: String

    init(_ bytes: some Sequence<UInt8>) throws(TidelineError) {
        try self.init(JSONReader.value(of: bytes))
    }

    /// - Parameter path: the place of the value, for problems.
    init(_ value: ParameterValue, path: String = "") throws(TidelineError) {
        guard case .object(let members) = value else {
            throw .unreadable("\(path.isEmpty ? "the answer" : path) must be an object")
        }
        self.members = members
        self.path = path.isEmpty ? "" : path + "."
    }

    // MARK: - Keys

    /// The value of a key; `nil` means that it is absent or null.
    func value(_ key: String) -> ParameterValue? {
        guard let value = members[key], value != .null else { return nil }
        return value
    }

    func require<Value>(_ key: String, _ value: Value?) throws(TidelineError) -> Value {
        guard let value else { throw .unreadable("\(path)\(key) is missing") }
        return value
    }

    private func problem(_ key: String, _ allowed: String) -> TidelineError {
        .unreadable("\(path)\(key) must be \(allowed)")
    }

    // MARK: - Values

    func text(_ key: String) throws(TidelineError) -> String? {
        switch value(key) {
        case nil: return nil
        case .string(let text): return text
        default: throw problem(key, "text")
        }
    }

    func bool(_ key: String) throws(TidelineError) -> Bool? {
        switch value(key) {
        case nil: return nil
        case .bool(let bool): return bool
        default: throw problem(key, "true or false")
        }
    }

    func integer(_ key: String) throws(TidelineError) -> Int64? {
        guard let number = try number(key) else { return nil }
        guard let integer = Int64(exactly: number) else { throw problem(key, "a whole number") }
        return integer
    }

    func number(_ key: String) throws(TidelineError) -> Double? {
        switch value(key) {
        case nil: return nil
        case .number(let text):
            guard let number = Double(text), number.isFinite else { throw problem(key, "a number") }
            return number
        default: throw problem(key, "a number")
        }
    }

    func instant(_ key: String) throws(TidelineError) -> Instant? {
        guard let text = try text(key) else { return nil }
        guard let instant = Instant(rfc3339: text) else { throw problem(key, "an instant of RFC 3339") }
        return instant
    }

    func date(_ key: String) throws(TidelineError) -> LocalDate? {
        guard let text = try text(key) else { return nil }
        guard let date = LocalDate(iso8601: text) else { throw problem(key, "a date such as 2026-11-20") }
        return date
    }

    func fields(_ key: String) throws(TidelineError) -> JSONFields? {
        guard let value = value(key) else { return nil }
        return try JSONFields(value, path: path + key)
    }

    func texts(_ key: String) throws(TidelineError) -> [String]? {
        guard let elements = try values(key) else { return nil }
        var texts: [String] = []
        for element in elements {
            guard case .string(let text) = element else { throw problem(key, "a list of texts") }
            texts.append(text)
        }
        return texts
    }

    func values(_ key: String) throws(TidelineError) -> [ParameterValue]? {
        switch value(key) {
        case nil: return nil
        case .array(let elements): return elements
        default: throw problem(key, "a list")
        }
    }

    func objects(_ key: String) throws(TidelineError) -> [JSONFields]? {
        guard let elements = try values(key) else { return nil }
        var objects: [JSONFields] = []
        for (index, element) in elements.enumerated() {
            objects.append(try JSONFields(element, path: "\(path)\(key)[\(index)]"))
        }
        return objects
    }
}
