import Agendas
import Testing
import Timelines

/// An example of RFC 5545 §3.8.5.3, or of the errata: all in New York, beginning at nine.
struct RuleExample: CustomTestStringConvertible, Sendable {
    var rule: String
    var start = "1997-09-02T09:00:00"
    /// Days as month-day in 1997, or with a year before; a time where it is not nine o'clock.
    var days: String
    /// How many there are in all; nil: the days are the first of many.
    var isWhole = true

    var testDescription: String { rule }
}

private let examples: [RuleExample] = [
    RuleExample(rule: "FREQ=DAILY;COUNT=5", days: "9-2 9-3 9-4 9-5 9-6"),
    RuleExample(rule: "FREQ=DAILY;INTERVAL=10;COUNT=5", days: "9-2 9-12 9-22 10-2 10-12"),
    RuleExample(rule: "FREQ=DAILY;UNTIL=19970905T130000Z", days: "9-2 9-3 9-4 9-5"),
    RuleExample(rule: "FREQ=DAILY;UNTIL=19970905T125959Z", days: "9-2 9-3 9-4"),
    RuleExample(
        rule: "FREQ=YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=MO", start: "1998-01-05T09:00:00",
        days: """
            1998-1-5 1998-1-12 1998-1-19 1998-1-26 1999-1-4 1999-1-11 1999-1-18 1999-1-25 \
            2000-1-3 2000-1-10 2000-1-17 2000-1-24 2000-1-31
            """),
    RuleExample(rule: "FREQ=WEEKLY;COUNT=4", days: "9-2 9-9 9-16 9-23"),
    RuleExample(rule: "FREQ=WEEKLY;INTERVAL=2;WKST=SU", days: "9-2 9-16 9-30 10-14 10-28 11-11 11-25", isWhole: false),
    RuleExample(
        rule: "FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH", days: "9-2 9-4 9-9 9-11 9-16 9-18 9-23 9-25 9-30 10-2"),
    RuleExample(
        rule: "FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH", days: "9-2 9-4 9-16 9-18 9-30 10-2 10-14 10-16"),
    RuleExample(
        rule: "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO", start: "1997-08-05T09:00:00",
        days: "8-5 8-10 8-19 8-24"),
    RuleExample(
        rule: "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU", start: "1997-08-05T09:00:00",
        days: "8-5 8-17 8-19 8-31"),
    RuleExample(
        rule: "FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=-1;COUNT=3", start: "1997-09-05T09:00:00", days: "9-5 9-12 9-19"),
    RuleExample(rule: "FREQ=MONTHLY;COUNT=4;BYDAY=1FR", start: "1997-09-05T09:00:00", days: "9-5 10-3 11-7 12-5"),
    RuleExample(
        rule: "FREQ=MONTHLY;INTERVAL=2;COUNT=6;BYDAY=1SU,-1SU", start: "1997-09-07T09:00:00",
        days: "9-7 9-28 11-2 11-30 1998-1-4 1998-1-25"),
    RuleExample(rule: "FREQ=MONTHLY;COUNT=3;BYDAY=-2MO", start: "1997-09-22T09:00:00", days: "9-22 10-20 11-17"),
    RuleExample(
        rule: "FREQ=MONTHLY;BYMONTHDAY=-3", start: "1997-09-28T09:00:00",
        days: "9-28 10-29 11-28 12-29 1998-1-29 1998-2-26",
        isWhole: false),
    RuleExample(rule: "FREQ=MONTHLY;COUNT=6;BYMONTHDAY=2,15", days: "9-2 9-15 10-2 10-15 11-2 11-15"),
    RuleExample(
        rule: "FREQ=MONTHLY;COUNT=4;BYMONTHDAY=1,-1", start: "1997-09-30T09:00:00", days: "9-30 10-1 10-31 11-1"),
    RuleExample(
        rule: "FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15", start: "1997-09-10T09:00:00",
        days: "9-10 9-11 9-12 9-13 9-14 9-15 1999-3-10 1999-3-11 1999-3-12 1999-3-13"),
    RuleExample(
        rule: "FREQ=YEARLY;COUNT=4;BYMONTH=6,7", start: "1997-06-10T09:00:00", days: "6-10 7-10 1998-6-10 1998-7-10"),
    RuleExample(
        rule: "FREQ=YEARLY;INTERVAL=3;COUNT=10;BYDAY=TH;BYMONTH=1;BYSETPOS=1,-1", start: "1998-01-01T09:00:00",
        days: "1998-1-1 1998-1-29 2001-1-4 2001-1-25 2004-1-1 2004-1-29 2007-1-4 2007-1-25 2010-1-7 2010-1-28"),
    RuleExample(
        rule: "FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200", start: "1997-01-01T09:00:00",
        days: "1-1 4-10 7-19 2000-1-1 2000-4-9 2000-7-18 2003-1-1 2003-4-10 2003-7-19 2006-1-1"),
    RuleExample(
        rule: "FREQ=YEARLY;BYDAY=20MO", start: "1997-05-19T09:00:00", days: "5-19 1998-5-18 1999-5-17", isWhole: false),
    RuleExample(
        rule: "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO", start: "1997-05-12T09:00:00", days: "5-12 1998-5-11 1999-5-17",
        isWhole: false),
    RuleExample(
        rule: "FREQ=YEARLY;BYWEEKNO=-1;BYDAY=SU", start: "1997-12-28T09:00:00",
        days: "12-28 1999-1-3 2000-1-2 2000-12-31",
        isWhole: false),
    RuleExample(
        rule: "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", start: "1998-02-13T09:00:00",
        days: "1998-2-13 1998-3-13 1998-11-13 1999-8-13 2000-10-13", isWhole: false),
    RuleExample(
        rule: "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8", start: "1996-11-05T09:00:00",
        days: "1996-11-5 2000-11-7 2004-11-2", isWhole: false),
    RuleExample(
        rule: "FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", start: "1997-09-04T09:00:00", days: "9-4 10-7 11-6"),
    RuleExample(
        rule: "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2", start: "1997-09-29T09:00:00",
        days: "9-29 10-30 11-27 12-30 1998-1-29", isWhole: false),
    RuleExample(rule: "FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T210000Z", days: "9-2 9-2T12:00 9-2T15:00"),
    RuleExample(
        rule: "FREQ=MINUTELY;INTERVAL=15;COUNT=6", days: "9-2 9-2T09:15 9-2T09:30 9-2T09:45 9-2T10:00 9-2T10:15"),
    RuleExample(rule: "FREQ=MINUTELY;INTERVAL=90;COUNT=4", days: "9-2 9-2T10:30 9-2T12:00 9-2T13:30"),
    RuleExample(
        rule: "FREQ=DAILY;BYHOUR=9,10;BYMINUTE=0,40", days: "9-2 9-2T09:40 9-2T10:00 9-2T10:40 9-3", isWhole: false),
    RuleExample(
        rule: "FREQ=MINUTELY;INTERVAL=40;BYHOUR=9,10", days: "9-2 9-2T09:40 9-2T10:20 9-3 9-3T09:40", isWhole: false),
    RuleExample(
        rule: "FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5", start: "2007-01-15T09:00:00",
        days: "2007-1-15 2007-1-30 2007-2-15 2007-3-15 2007-3-30"),
    RuleExample(
        rule: "FREQ=YEARLY", start: "1996-02-29T09:00:00", days: "1996-2-29 2000-2-29 2004-2-29", isWhole: false),
    RuleExample(rule: "FREQ=DAILY;BYMONTHDAY=-1;COUNT=3", start: "1997-09-30T09:00:00", days: "9-30 10-31 11-30"),
    RuleExample(
        rule: "FREQ=MONTHLY;INTERVAL=2;BYMONTH=1,2,3;COUNT=3", start: "1997-01-07T09:00:00", days: "1-7 3-7 1998-1-7"),
    RuleExample(
        rule: "FREQ=MONTHLY;BYDAY=MO;BYHOUR=9,15;BYSETPOS=1;COUNT=2", start: "1997-09-01T09:00:00", days: "9-1 10-6"),
]

@Test("A rule makes the starts that RFC 5545 lists for it", arguments: examples)
func ruleExample(_ example: RuleExample) throws {
    let expected = example.days.split(separator: " ").map { text in
        let sides = text.split(separator: "T")
        let date = sides[0].split(separator: "-").compactMap { Int($0) }
        let numbers = date.count == 3 ? date : [1997] + date
        let day = LocalDate(year: numbers[0], month: numbers[1], day: numbers[2])
        return "\(day.iso8601)T\(sides.count == 2 ? String(sides[1]) : "09:00"):00"
    }
    let series = calendar(
        try event(start: example.start, zone: "America/New_York", recurrence: ["RRULE:" + example.rule]))
    let starts = try series.starts("1990-01-01T00:00:00Z", "2012-01-01T00:00:00Z", in: "America/New_York")
    #expect(example.isWhole ? starts == expected : Array(starts.prefix(expected.count)) == expected)
}

@Test("A window far from the start sees the same instances as a window from the start", arguments: examples)
func farWindow(_ example: RuleExample) throws {
    let series = calendar(
        try event(start: example.start, zone: "America/New_York", recurrence: ["RRULE:" + example.rule]))
    let all = try series.starts("1990-01-01T00:00:00Z", "1999-06-01T00:00:00Z", in: "America/New_York")
    let late = try series.starts("1997-11-05T05:00:00Z", "1999-06-01T00:00:00Z", in: "America/New_York")
    #expect(late == all.filter { $0 >= "1997-11-05T00:00:00" })
}

@Test("EXDATE takes instances away, RDATE adds some, and each start counts once")
func exceptions() throws {
    let series = calendar(
        try event(
            start: "2019-02-04T09:00:00", end: "2019-02-04T10:00:00", zone: "Europe/Berlin",
            recurrence: [
                "RRULE:FREQ=WEEKLY;COUNT=4", "EXDATE;TZID=Europe/Berlin:20190211T090000", "EXDATE:20190218T080000Z",
                "RDATE:20190225T090000,20190206T150000", "RDATE;VALUE=PERIOD:20190207T080000Z/PT15M",
            ]))
    #expect(
        try series.extents("2019-02-01T00:00:00Z", "2019-04-01T00:00:00Z") == [
            "2019-02-04T08:00:00Z/2019-02-04T09:00:00Z", "2019-02-06T14:00:00Z/2019-02-06T15:00:00Z",
            "2019-02-07T08:00:00Z/2019-02-07T08:15:00Z", "2019-02-25T08:00:00Z/2019-02-25T09:00:00Z",
        ])
}

@Test("Every instance of a series carries its original start, a single event none")
func originalStarts() throws {
    let events = calendar(
        try event("a", start: "2019-02-04T09:00:00", zone: "Europe/Berlin", recurrence: ["RRULE:FREQ=DAILY;COUNT=2"]),
        try event("b", start: "2019-02-04", recurrence: ["RRULE:FREQ=DAILY;COUNT=2"]),
        try event("c", start: "2019-02-04T12:00:00Z"))
    let found = try events.occurrences(from: at("2019-02-01T00:00:00Z"), to: at("2019-03-01T00:00:00Z"), in: .utc)
    #expect(
        found.map { "\($0.uid) \($0.original ?? "-")" } == [
            "b 2019-02-04", "a 2019-02-04T08:00:00Z", "c -", "b 2019-02-05", "a 2019-02-05T08:00:00Z",
        ])
}

@Test("A series that would keep a thread busy is left out and named; the others are there")
func limit() throws {
    func list(_ numbers: ClosedRange<Int>) -> String { numbers.map { "\($0)" }.joined(separator: ",") }
    let everySecond =
        "RRULE:FREQ=YEARLY;BYMONTH=\(list(1...12));BYMONTHDAY=\(list(1...31))"
        + ";BYHOUR=\(list(0...23));BYMINUTE=\(list(0...59));BYSECOND=\(list(0...59))"
    let calendar = calendar(
        try event("busy", start: "1980-01-01T00:00:00Z", recurrence: ["RRULE:FREQ=SECONDLY;COUNT=2000000000"]),
        try event("dense", start: "1980-01-01T00:00:00Z", recurrence: [everySecond]),
        try event("never", start: "1980-01-01T00:00:00Z", recurrence: ["RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"]),
        try event("usual", start: "1980-01-01T09:00:00Z", recurrence: ["RRULE:FREQ=DAILY"]))
    let agenda = calendar.agenda(from: try at("2019-02-10T00:00:00Z"), to: try at("2019-02-11T00:00:00Z"), in: .utc)
    #expect(agenda.occurrences.map(\.uid) == ["usual"])
    #expect(agenda.problems.map(\.uid) == ["busy", "dense"])
    #expect(agenda.problems.first?.reason.contains("100000 instances") == true)
}
