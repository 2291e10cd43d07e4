extension RecurrenceRule {
    /// Reads the text after `RRULE:`.
    /// - Throws: a problem of the field `recurrence` that names the part and what is allowed.
    init(text: some StringProtocol) throws(CalendarEventProblem) {
        var parts: [(name: String, value: String)] = []
        var remarks: [String] = []
        for part in text.split(separator: ";") {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2 else {
                remarks.append("\"\(part)\" in RRULE is not of the form NAME=VALUE and is left out")
                continue
            }
            let name = sides[0].trimmed.uppercased()
            if parts.contains(where: { $0.name == name }) { throw Self.problem("\(name) comes twice") }
            parts.append((name, sides[1].trimmed.uppercased()))
        }
        guard let said = parts.first(where: { $0.name == "FREQ" })?.value,
            let frequency = Frequency.allCases.first(where: { $0.name == said })
        else {
            let allowed = Frequency.allCases.map(\.name).joined(separator: ", ")
            throw Self.problem("FREQ is missing or not known, allowed is \(allowed)")
        }
        self.init(frequency: frequency)
        self.remarks = remarks
        for part in parts where part.name != "FREQ" { try read(part.name, part.value) }
        try checkParts()
    }

    private mutating func read(_ name: String, _ value: String) throws(CalendarEventProblem) {
        switch name {
        case "INTERVAL": interval = try Self.number(name, value, in: 1...1_000_000)
        case "COUNT": try readCount(value)
        case "UNTIL":
            guard let time = EventTime(basic: value) else {
                throw Self.problem("UNTIL=\(value), allowed is 20190331, 20190331T090000 or 20190331T070000Z")
            }
            until = time
        case "WKST": weekStart = try Self.weekday(value)
        // A leap second counts as the second before it (RFC 5545 §3.3.12).
        case "BYSECOND": seconds = Set(try Self.list(name, value, in: 0...60).map { min($0, 59) }).sorted()
        case "BYMINUTE": minutes = try Self.list(name, value, in: 0...59)
        case "BYHOUR": hours = try Self.list(name, value, in: 0...23)
        case "BYDAY": weekdays = try Self.weekdays(value)
        case "BYMONTHDAY": monthDays = try Self.list(name, value, in: -31...31, exceptZero: true)
        case "BYYEARDAY": yearDays = try Self.list(name, value, in: -366...366, exceptZero: true)
        case "BYWEEKNO": weekNumbers = try Self.list(name, value, in: -53...53, exceptZero: true)
        case "BYMONTH": months = try Self.list(name, value, in: 1...12)
        case "BYSETPOS": positions = try Self.list(name, value, in: -366...366, exceptZero: true)
        case "RSCALE" where value == "GREGORIAN": break
        case "SKIP" where value == "OMIT": break
        case _ where name.hasPrefix("X-"): remarks.append("\(name) in RRULE is left out")
        default: throw Self.problem("\(name)=\(value) is not supported in RRULE")
        }
    }

    /// Combinations that RFC 5545 §3.3.10 forbids, and that files contain all the same: those that can mean one thing
    /// only are taken for it.
    private mutating func checkParts() throws(CalendarEventProblem) {
        if count != nil, until != nil { remarks.append("RRULE has COUNT and UNTIL; the first that is reached ends it") }
        if !weekNumbers.isEmpty, frequency != .yearly {
            throw Self.problem("BYWEEKNO is allowed with FREQ=YEARLY only")
        }
        let takesYearDays = frequency == .yearly || frequency < .daily
        if !yearDays.isEmpty, !takesYearDays { limits("BYYEARDAY") }
        if !monthDays.isEmpty, frequency == .weekly { limits("BYMONTHDAY") }
        guard weekdays.contains(where: { $0.number != nil }) else { return }
        if frequency < .monthly || !weekNumbers.isEmpty {
            remarks.append("the numbers in BYDAY mean nothing with FREQ=\(frequency.name) and are left out")
            weekdays = weekdays.map { NumberedWeekday(number: nil, weekday: $0.weekday) }
        }
    }

    private mutating func limits(_ part: String) {
        remarks.append("\(part) is not allowed with FREQ=\(frequency.name); it leaves only such days")
    }

    /// Some programs write a COUNT below one for no COUNT.
    private mutating func readCount(_ value: String) throws(CalendarEventProblem) {
        guard let number = Int(value), number < 1 else {
            count = try Self.number("COUNT", value, in: 1...Int(Int32.max))
            return
        }
        remarks.append("COUNT=\(value) of RRULE is left out, allowed is 1 and more")
    }

    // MARK: - Values

    static func problem(_ reason: String) -> CalendarEventProblem {
        CalendarEventProblem(field: "recurrence", reason: reason)
    }

    private static func number(
        _ name: String, _ text: some StringProtocol, in range: ClosedRange<Int>
    ) throws(CalendarEventProblem) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw problem("\(name)=\(text), allowed is \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static func list(
        _ name: String, _ text: String, in range: ClosedRange<Int>, exceptZero: Bool = false
    ) throws(CalendarEventProblem) -> [Int] {
        var numbers: Set<Int> = []
        for part in text.split(separator: ",") {
            let number = try number(name, part.trimmed, in: range)
            if number == 0, exceptZero { throw problem("\(name)=0, allowed is all but 0") }
            numbers.insert(number)
        }
        guard !numbers.isEmpty else { throw problem("\(name) is empty") }
        return numbers.sorted()
    }

    private static func weekdays(_ text: String) throws(CalendarEventProblem) -> [NumberedWeekday] {
        var result: [NumberedWeekday] = []
        for part in text.split(separator: ",") {
            let part = part.trimmed
            let weekday = try weekday(String(part.suffix(2)))
            let numberText = part.dropLast(2)
            var number: Int?
            if !numberText.isEmpty {
                let read = try Self.number("BYDAY", numberText, in: -53...53)
                if read == 0 { throw problem("BYDAY=\(part), allowed is all but 0") }
                number = read
            }
            let day = NumberedWeekday(number: number, weekday: weekday)
            if !result.contains(day) { result.append(day) }
        }
        guard !result.isEmpty else { throw problem("BYDAY is empty") }
        return result
    }

    private static func weekday(_ text: String) throws(CalendarEventProblem) -> Weekday {
        if let weekday = Weekday.allCases.first(where: { $0.name == text }) { return weekday }
        throw problem("\"\(text)\" is no weekday, allowed is MO, TU, WE, TH, FR, SA, SU")
    }
}
