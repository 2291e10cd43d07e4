/// Forms of durations, with their bounds (T10). Durations are compared as with days of 24 hours.
extension OptionForm<CalendarDuration> {
    /// Intervals and spans, from PT1S to P31D.
    package static var interval: Self { duration(from: CalendarDuration(time: .seconds(1)), definition: "interval") }
    /// The silence after which a vehicle is offline, from PT1M to P31D.
    package static var offlineAfter: Self { duration(from: .minutes(1), definition: "offlineAfter") }
    /// How long before its start an event is announced, from PT0S to P31D.
    package static var lead: Self { duration(from: CalendarDuration(), definition: "lead") }

    /// The definitions that the schemas of these forms refer to, by name; each says its bounds.
    package static var definitions: [(key: String, value: JSONSchema)] {
        [interval, offlineAfter, lead].map { form in
            guard case .object(let members) = form.schema, case .value(.string(let name))? = members.first?.value else {
                preconditionFailure("A duration's schema is a reference.")
            }
            let key = String(name.split(separator: "/").last ?? "")
            let definition: JSONSchema = [
                "description": .value(.string("\(form.allowed.prefix(1).uppercased() + form.allowed.dropFirst()).")),
                "$ref": "#/$defs/duration",
            ]
            // Zero is all that a pattern can tell of a lower bound.
            return (key, key == "lead" ? definition : definition.adding([("not", ["pattern": "^[PTWDHMS0]*$"])]))
        }
    }

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
    /// Times of day as HH:MM.
    package static var timeOfDay: Self {
        OptionForm(
            allowed: "a time of day from 00:00 to 23:59, such as 09:30", schema: .reference(to: "timeOfDay"),
            read: { if case .string(let text) = $0 { LocalTime(hoursAndMinutes: text) } else { nil } },
            write: { .string($0.hoursAndMinutes) })
    }
}

extension OptionForm<Instant> {
    /// Instants as RFC 3339 with offset, or as milliseconds since 1970.
    package static var instant: Self {
        OptionForm(
            allowed: "an RFC 3339 date-time with offset, such as 2026-11-20T09:00:00Z, or milliseconds since 1970",
            schema: .reference(to: "instant"), read: { $0.instant }, write: { .string($0.rfc3339) })
    }
}

extension OptionForm {
    /// Lists with as many elements as `count` says.
    package static func list<Element>(_ count: ClosedRange<Int>, of element: OptionForm<Element>) -> Self
    where Value == [Element] {
        OptionForm(
            allowed: "a list of \(count.lowerBound) to \(count.upperBound), each \(element.allowed)",
            schema: [
                "type": "array", "items": element.schema, "minItems": .value(.number("\(count.lowerBound)")),
                "maxItems": .value(.number("\(count.upperBound)")),
            ],
            readPart: { value, path throws(ConfigurationProblems) in
                guard case .array(let values) = value else { return nil }
                guard count ~= values.count else {
                    let allowed = "\(count.lowerBound) to \(count.upperBound)"
                    throw .init(.init(key: path, "must be a list of \(allowed), but has \(values.count)"))
                }
                var elements: [Element] = []
                elements.reserveCapacity(values.count)
                var problems: [ConfigurationProblem] = []
                for (index, value) in values.enumerated() {
                    do throws(ConfigurationProblems) {
                        elements.append(try element.value(of: value, path: "\(path)[\(index)]"))
                    } catch {
                        problems += error.all
                    }
                }
                if !problems.isEmpty { throw ConfigurationProblems(problems) }
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
