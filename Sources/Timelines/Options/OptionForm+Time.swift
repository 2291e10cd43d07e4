/// The bounds of STRATEGIES.md 2. Durations are compared with days of 24 hours.
extension OptionForm<CalendarDuration> {
    /// Intervals and spans: PT1S to P31D.
    package static var interval: Self { duration(from: CalendarDuration(time: .seconds(1)), definition: "interval") }
    /// PT1M to P31D.
    package static var offlineAfter: Self { duration(from: .minutes(1), definition: "interval") }
    /// PT0S to P31D.
    package static var lead: Self { duration(from: CalendarDuration(), definition: "duration") }

    /// The longest duration that a configuration may have.
    package static var longest: CalendarDuration { CalendarDuration(days: 31) }

    private static func duration(from shortest: CalendarDuration, definition: String) -> Self {
        OptionForm(
            allowed: "an ISO 8601 duration from \(shortest.iso8601) to \(longest.iso8601), such as PT15M",
            schema: .reference(to: definition),
            read: { value in
                guard case .string(let text) = value, let duration = CalendarDuration(iso8601: text) else { return nil }
                return (shortest.nominal...longest.nominal).contains(duration.nominal) ? duration : nil
            },
            write: { .string($0.iso8601) })
    }
}

extension OptionForm<LocalTime> {
    /// HH:MM
    package static var timeOfDay: Self {
        OptionForm(
            allowed: "a time of day from 00:00 to 23:59, such as 09:30", schema: .reference(to: "timeOfDay"),
            read: { if case .string(let text) = $0 { LocalTime(hoursAndMinutes: text) } else { nil } },
            write: { .string($0.hoursAndMinutes) })
    }
}

extension OptionForm<Instant> {
    /// RFC 3339 with offset, or milliseconds since 1970.
    package static var instant: Self {
        OptionForm(
            allowed: "an RFC 3339 date-time with offset, such as 2026-11-20T09:00:00Z, or milliseconds since 1970",
            schema: .reference(to: "instant"), read: { $0.instant }, write: { .string($0.rfc3339) })
    }
}

extension OptionForm {
    /// A list of so many.
    package static func list<Element>(_ count: ClosedRange<Int>, of element: OptionForm<Element>) -> Self
    where Value == [Element] {
        OptionForm(
            allowed: "a list of \(count.lowerBound) to \(count.upperBound), each \(element.allowed)",
            schema: [
                "type": "array", "items": element.schema, "minItems": .value(.number("\(count.lowerBound)")),
                "maxItems": .value(.number("\(count.upperBound)")),
            ],
            readPart: { value, path throws(ConfigurationProblem) in
                guard case .array(let values) = value, count ~= values.count else { return nil }
                var elements: [Element] = []
                elements.reserveCapacity(values.count)
                for (index, value) in values.enumerated() {
                    guard let element = try element.read(value, "\(path)[\(index)]") else { return nil }
                    elements.append(element)
                }
                return elements
            },
            write: { .array($0.map(element.write)) })
    }
}

extension ParameterValue {
    fileprivate var instant: Instant? {
        switch self {
        case .string(let text): Instant(rfc3339: text)
        case .number(let text):
            Int64(text).flatMap { Instant.writable.contains($0) ? Instant(milliseconds: $0) : nil }
        default: nil
        }
    }
}
