extension SettingType<String> {
    /// Any text that is not empty.
    package static var string: Self {
        string(allowed: "a text that is not empty") { !$0.isEmpty }
    }

    /// A text that `isAllowed` accepts; `allowed` says which in words.
    package static func string(allowed: String, where isAllowed: @escaping @Sendable (String) -> Bool) -> Self {
        SettingType(allowed: allowed, read: { isAllowed($0) ? $0 : nil }, write: { $0 })
    }
}

extension SettingType<Int> {
    /// A whole number in decimal digits.
    package static func integer(_ range: ClosedRange<Int>) -> Self {
        let allowed =
            switch (range.lowerBound, range.upperBound) {
            case (.min, .max): "a whole number"
            case (let least, .max): "a whole number from \(least)"
            case (let least, let most): "a whole number from \(least) to \(most)"
            }
        return SettingType(
            allowed: allowed,
            read: { text in
                guard let value = Int(text), range.contains(value), !text.hasPrefix("+") else { return nil }
                return value
            },
            write: { "\($0)" })
    }

    /// A whole number in decimal digits, `least` or more.
    package static func integer(_ range: PartialRangeFrom<Int>) -> Self {
        integer(range.lowerBound...Int.max)
    }
}

extension SettingType<Double> {
    /// A number, such as 0.5.
    package static func number(_ range: ClosedRange<Double>) -> Self {
        SettingType(
            allowed: "a number from \(range.lowerBound) to \(range.upperBound)",
            read: { text in Double(text).flatMap { range.contains($0) ? $0 : nil } },
            write: { "\($0)" })
    }
}

extension SettingType<Bool> {
    /// `true` or `false`.
    package static var bool: Self {
        SettingType(
            allowed: "true or false", choices: ["true", "false"], read: { Bool($0) }, write: { "\($0)" })
    }
}

extension SettingType<Duration> {
    /// An ISO 8601 duration in `range`. See ``Duration/init(iso8601:)``.
    package static func duration(_ range: ClosedRange<Duration>) -> Self {
        SettingType(
            allowed: "an ISO 8601 duration from \(range.lowerBound.iso8601) to \(range.upperBound.iso8601)"
                + example(in: range),
            read: { text in Duration(iso8601: text).flatMap { range.contains($0) ? $0 : nil } },
            write: { $0.iso8601 })
    }
}

/// Two durations of the range in words, or none where it holds neither.
private func example(in range: ClosedRange<Duration>) -> String {
    let fitting = ["PT30M", "P1D", "PT10S", "PT1S"].filter { Duration(iso8601: $0).map(range.contains) ?? false }
    return fitting.isEmpty ? "" : ", such as \(fitting.prefix(2).joined(separator: " or "))"
}

extension SettingType<Duration?> {
    /// An ISO 8601 duration in `range`, or `off`, which is nil.
    package static func durationOrOff(_ range: ClosedRange<Duration>) -> Self {
        let duration = SettingType<Duration>.duration(range)
        return SettingType(
            allowed: "\(duration.allowed), or off",
            read: { text in
                if text == "off" { return .some(nil) }
                // A plain nil is no value that is off.
                guard let value = Duration(iso8601: text), range.contains(value) else { return .none }
                return .some(value)
            },
            write: { $0?.iso8601 ?? "off" })
    }
}

extension SettingType where Value: RawRepresentable<String> & CaseIterable {
    /// One of the cases, written as its raw value.
    package static func choice(_ type: Value.Type = Value.self) -> Self {
        let choices = type.allCases.map(\.rawValue)
        return SettingType(
            allowed: "one of \(choices.joined(separator: ", "))", choices: choices, read: { Value(rawValue: $0) },
            write: { $0.rawValue })
    }
}
