/// What a setting may be: how it is read, how it is written, and how that is told to people.
package struct SettingType<Value: Sendable>: Sendable {
    /// Completes the sentence "allowed is …".
    package let allowed: String
    /// All values, where they are few.
    package let choices: [String]
    let read: @Sendable (SettingText) -> Value?
    let write: @Sendable (Value) -> String

    /// A type of its own: `read` gives `nil` for a text that is not allowed.
    package init(
        allowed: String, choices: [String] = [], read: @escaping @Sendable (String) -> Value?,
        write: @escaping @Sendable (Value) -> String
    ) {
        self.init(
            allowed: allowed, choices: choices,
            readAny: { text in
                guard case .text(let text) = text else { return nil }
                return read(text)
            }, write: write)
    }

    private init(
        allowed: String, choices: [String], readAny: @escaping @Sendable (SettingText) -> Value?,
        write: @escaping @Sendable (Value) -> String
    ) {
        self.allowed = allowed
        self.choices = choices
        self.read = readAny
        self.write = write
    }
}

extension SettingType {
    /// A list of such values: in a file a list or one text, elsewhere one text with commas between. May be empty.
    package static func list<Element>(of element: SettingType<Element>) -> Self where Value == [Element] {
        SettingType(
            allowed: "a list, each \(element.allowed)",
            choices: element.choices,
            readAny: { text in
                let texts =
                    switch text {
                    case .list(let texts): texts
                    case .text(""): [String]()
                    case .text(let text):
                        text.split(separator: ",", omittingEmptySubsequences: false).map { String($0).trimmingSpaces }
                    }
                let values = texts.compactMap { element.read(.text($0)) }
                return values.count == texts.count ? values : nil
            },
            write: { $0.map(element.write).joined(separator: ",") })
    }

    /// A value or none; none is written as an empty text.
    package static func optional<Wrapped>(_ wrapped: SettingType<Wrapped>) -> Self where Value == Wrapped? {
        SettingType(
            allowed: "\(wrapped.allowed), or empty",
            choices: wrapped.choices,
            readAny: { text in
                // `.some(nil)`, not `nil`: an empty text is allowed and means no value.
                text == .text("") ? .some(nil) : wrapped.read(text).map { .some($0) }
            },
            write: { $0.map(wrapped.write) ?? "" })
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        let start = self.drop { $0 == " " }
        return String(start.reversed().drop { $0 == " " }.reversed())
    }
}
