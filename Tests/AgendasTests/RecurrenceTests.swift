import Agendas
import TestSupport
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
        rule: "FREQ=WEEKLY;UNTIL=19971224T000000Z",
        days: """
            9-2 9-9 9-16 9-23 9-30 10-7 10-14 10-21 10-28 11-4 11-11 11-18 11-25 12-2 12-9 12-16 12-23
            """),
    RuleExample(
        rule: "FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR", start: "1997-09-01T09:00:00",
        days: """
            9-1 9-3 9-5 9-15 9-17 9-19 9-29 10-1 10-3 10-13 10-15 10-17 10-27 10-29 10-31 11-10 11-12 11-14 11-24 \
            11-26 11-28 12-8 12-10 12-12 12-22
            """),
    RuleExample(
        rule: "FREQ=MONTHLY;UNTIL=19971224T000000Z;BYDAY=1FR", start: "1997-09-05T09:00:00",
        days: "9-5 10-3 11-7 12-5"),
    RuleExample(
        rule: "FREQ=MONTHLY;INTERVAL=2;BYDAY=TU", days: "9-2 9-9 9-16 9-23 9-30 11-4 11-11 11-18 11-25 1998-1-6",
        isWhole: false),
    RuleExample(
        rule: "FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3", start: "1997-03-10T09:00:00",
        days: """
            3-10 1999-1-10 1999-2-10 1999-3-10 2001-1-10 2001-2-10 2001-3-10 2003-1-10 2003-2-10 2003-3-10
            """),
    RuleExample(
        rule: "FREQ=YEARLY;BYMONTH=3;BYDAY=TH", start: "1997-03-13T09:00:00",
        days: "3-13 3-20 3-27 1998-3-5 1998-3-12 1998-3-19 1998-3-26 1999-3-4", isWhole: false),
    RuleExample(
        rule: "FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8", start: "1997-06-05T09:00:00",
        days: "6-5 6-12 6-19 6-26 7-3 7-10 7-17 7-24 7-31 8-7 8-14 8-21 8-28 1998-6-4", isWhole: false),
    RuleExample(
        rule: "FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13", start: "1997-09-13T09:00:00",
        days: "9-13 10-11 11-8 12-13 1998-1-10 1998-2-7 1998-3-7 1998-4-11 1998-5-9 1998-6-13", isWhole: false),
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

@Test(
    "What RFC 5545 says in two rules is the same",
    arguments: [
        (
            "FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1",
            "FREQ=YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA", 93
        ),
        (
            "FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16;UNTIL=19980103T210000Z",
            "FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40;UNTIL=19980103T210000Z", 70
        ),
        ("FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH", "FREQ=WEEKLY;UNTIL=19980203T140000Z;WKST=SU;BYDAY=TU,TH", 10),
    ])
func sameInTwoRules(_ one: String, _ other: String, _ count: Int) throws {
    let starts = try [one, other].map { rule in
        let series = calendar(
            try event(start: "1998-01-01T09:00:00", zone: "America/New_York", recurrence: ["RRULE:" + rule]))
        return try series.starts("1990-01-01T00:00:00Z", "2012-01-01T00:00:00Z", in: "America/New_York")
    }
    #expect(starts[0] == starts[1])
    #expect(starts[0].count == count)
}

@Test("COUNT is of what the rule makes: a start that it does not make is one more")
func countOfRule() throws {
    let series = calendar(
        try event("single", start: "2019-02-06", recurrence: ["RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2"]),
        try event(
            "two", start: "2019-02-07",
            recurrence: ["RRULE:FREQ=WEEKLY;BYDAY=TH;COUNT=2", "RRULE:FREQ=MONTHLY;COUNT=2"]
        ))
    let found = series.occurrences(from: at("2019-01-01T00:00:00Z"), to: at("2020-01-01T00:00:00Z"), in: .utc)
    #expect(found.filter { $0.uid == "single" }.compactMap(\.original) == ["2019-02-06", "2019-02-11", "2019-02-18"])
    #expect(found.filter { $0.uid == "two" }.compactMap(\.original) == ["2019-02-07", "2019-02-14", "2019-03-07"])
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
    let found = events.occurrences(from: at("2019-02-01T00:00:00Z"), to: at("2019-03-01T00:00:00Z"), in: .utc)
    #expect(
        found.map { "\($0.uid) \($0.original ?? "-")" } == [
            "b 2019-02-04", "a 2019-02-04T08:00:00Z", "c -", "b 2019-02-05", "a 2019-02-05T08:00:00Z",
        ])
}

@Test(
    "No rule runs away, however wide the window: it is expanded or left out by name, in little time",
    .timeLimit(.minutes(10)),
    arguments: [
        "FREQ=SECONDLY", "FREQ=SECONDLY;INTERVAL=7;BYDAY=MO", "FREQ=MINUTELY;COUNT=1000000000", "FREQ=DAILY",
        "FREQ=DAILY;COUNT=1000000000", "FREQ=YEARLY;UNTIL=99991231T235959Z", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=2,4,6,9,11", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31;COUNT=5",
        "FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6", "FREQ=YEARLY;BYYEARDAY=366;BYMONTH=1", "FREQ=MONTHLY;BYDAY=6MO",
        "FREQ=HOURLY;BYHOUR=3;BYMINUTE=0;INTERVAL=5", "FREQ=YEARLY;INTERVAL=1000000", "FREQ=WEEKLY;BYSETPOS=9;BYDAY=MO",
        "FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=YEARLY;BYHOUR=0,1,2,3;BYMINUTE=1,2,3;BYSECOND=4,5;BYDAY=MO",
    ])
func noRunaway(_ rule: String) throws {
    for start in ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"] {
        let series = calendar(
            try event("rule", start: start, recurrence: ["RRULE:" + rule]), try event("other", start: start))
        let agenda = series.agenda(from: at("0001-01-01T00:00:00Z"), to: at("9999-12-31T23:59:59Z"), in: .utc)
        #expect(agenda.occurrences.filter { $0.uid == "rule" }.count <= 100_001)
        #expect(agenda.problems.map(\.uid) == [] || agenda.problems.map(\.uid) == ["rule"])
    }
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
    let agenda = calendar.agenda(from: at("2019-02-10T00:00:00Z"), to: at("2019-02-11T00:00:00Z"), in: .utc)
    #expect(agenda.occurrences.map(\.uid) == ["usual"])
    #expect(agenda.problems.map(\.uid) == ["busy", "dense"])
    #expect(agenda.problems.first?.reason.contains("100000 instances") == true)
}
