internal import Agendas
internal import Timelines

extension MessageFields {
    /// A LocalDateTime.
    func jsLocal(_ key: String) throws(MessageProblem) -> EventTime? {
        guard let text = try text(key) else { return nil }
        guard let time = EventTime(text: text), case .local = time else {
            throw .notAllowed(path(to: key), "a local date-time, such as 2026-11-20T09:00:00")
        }
        return time
    }

    /// The name of the first location, by key, that has one.
    func jsLocation() throws(MessageProblem) -> String? {
        for member in try fields("locations")?.members.members ?? [] {
            let location = try MessageFields(member.value, path: path(to: "locations.\(member.key)"))
            if let name = try location.text("name"), !name.isEmpty { return name }
        }
        return nil
    }

    /// The object with a patch of one of its instances applied (RFC 8984 §1.4.9, §4.3.5).
    func patched(by patch: MessageFields, start: String, path: String) -> MessageFields {
        var result = members
        for key in ["recurrenceRules", "recurrenceRule", "recurrenceOverrides", "excludedRecurrenceRules"] {
            result[key] = nil
        }
        result["start"] = .string(start)
        for member in patch.members.members {
            let steps = member.key.split(separator: "/", omittingEmptySubsequences: true)
                .map { String($0).replacing("~1", with: "/").replacing("~0", with: "~") }
            result.set(steps[...], to: member.value)
        }
        return MessageFields(result, path: path)
    }

    // MARK: - Rules

    /// The rules as RRULE lines.
    func jsRules(isAllDay: Bool) throws(MessageProblem) -> [String] {
        if let excluded = try objects("excludedRecurrenceRules"), !excluded.isEmpty {
            throw .notAllowed(path(to: "excludedRecurrenceRules"), "absent; exclude instances in recurrenceOverrides")
        }
        var rules = try objects("recurrenceRules") ?? []
        if let rule = try fields("recurrenceRule") { rules.append(rule) }
        var lines: [String] = []
        for rule in rules { lines.append("RRULE:\(try rule.jsRule(isAllDay: isAllDay))") }
        return lines
    }

    private func jsRule(isAllDay: Bool) throws(MessageProblem) -> String {
        var parts = ["FREQ=\(try require("frequency", text("frequency")).uppercased())"]
        let positive = 1...Int64(Int32.max)
        if let interval = try integer("interval", in: positive, "a whole number, 1 or more") {
            parts.append("INTERVAL=\(interval)")
        }
        if let count = try integer("count", in: positive, "a whole number, 1 or more") {
            parts.append("COUNT=\(count)")
        }
        if let until = try jsLocal("until") {
            parts.append("UNTIL=\(isAllDay ? String(until.basic.prefix(8)) : until.basic)")
        }
        if let first = try text("firstDayOfWeek") { parts.append("WKST=\(first.uppercased())") }
        if let days = try objects("byDay") {
            var texts: [String] = []
            for day in days {
                let number = try day.integer("nthOfPeriod", in: -366...366, "a whole number")
                texts.append((number.map { "\($0)" } ?? "") + (try day.require("day", day.text("day")).uppercased()))
            }
            parts.append("BYDAY=\(texts.joined(separator: ","))")
        }
        let lists = [
            ("byMonth", "BYMONTH"), ("byMonthDay", "BYMONTHDAY"), ("byYearDay", "BYYEARDAY"),
            ("byWeekNo", "BYWEEKNO"), ("byHour", "BYHOUR"), ("byMinute", "BYMINUTE"), ("bySecond", "BYSECOND"),
            ("bySetPosition", "BYSETPOS"),
        ]
        for (key, name) in lists {
            guard let numbers = try identifiers(key), !numbers.isEmpty else { continue }
            parts.append("\(name)=\(numbers.joined(separator: ","))")
        }
        for (key, name, usual) in [("rscale", "RSCALE", "GREGORIAN"), ("skip", "SKIP", "OMIT")] {
            guard let said = try text(key)?.uppercased(), said != usual else { continue }
            parts.append("\(name)=\(said)")
        }
        return parts.joined(separator: ";")
    }
}

extension Parameters {
    /// Sets the value at a path; null removes it. A path through a value that is no object changes nothing.
    fileprivate mutating func set(_ path: ArraySlice<String>, to value: ParameterValue) {
        guard let key = path.first else { return }
        if path.count == 1 {
            self[key] = value == .null ? nil : value
        } else if case .object(var inner)? = self[key] {
            inner.set(path.dropFirst(), to: value)
            self[key] = .object(inner)
        }
    }
}
