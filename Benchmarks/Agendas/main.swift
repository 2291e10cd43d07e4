// How long it takes to load an iCalendar file, and then to list one week of it.
//
// Run it with `make benchmark`, or with the path of another file. Each figure is the best of many rounds, so that other
// work on the machine counts little. It ends with status 1 when the recorded Google export of 4,778 events takes
// more than 300 ms to load or more than 20 ms for a week.
import Agendas
import Dispatch
import Foundation
import Timelines

let path = CommandLine.arguments.dropFirst().first ?? "../shared/data/calendars/issue42_google_export_redacted.ics"
guard let text = FileManager.default.contents(atPath: path) else {
    print("not measured: \(path) is missing")
    exit(0)
}

/// Milliseconds, the best of `rounds`.
func best(of rounds: Int, _ work: (Int) -> Void) -> Double {
    let times = (0..<rounds).map { round in
        let began = DispatchTime.now().uptimeNanoseconds
        work(round)
        return Double(DispatchTime.now().uptimeNanoseconds - began) / 1e6
    }
    return times.min() ?? 0
}

func load() -> (calendar: EventCalendar, zone: LocalCalendar) {
    let found = ICalendar.events(in: text, calendarId: "export")
    var calendar = EventCalendar()
    for event in found.events { calendar.apply(event) }
    return (calendar, found.timeZone.flatMap { LocalCalendar($0) } ?? .utc)
}

let (calendar, zone) = load()
let week = ElapsedTime.hours(7 * 24)
let first = zone.firstInstant(of: LocalDate(year: 2012, month: 1, day: 2))
var occurrences = 0
let loading = best(of: 10) { _ in precondition(load().calendar.count == calendar.count) }
// A week of each of many months, so that none is favoured; the slowest counts.
var listing = 0.0
for round in 0..<50 {
    let from = first + week * Int64(round * 8)
    occurrences += calendar.occurrences(from: from, to: from + week, in: zone).count
    listing = max(listing, best(of: 5) { _ in _ = calendar.occurrences(from: from, to: from + week, in: zone) })
}
print("\(calendar.count) events, \(text.count) bytes: loaded in \((loading * 10).rounded() / 10) ms")
print("the slowest of 50 weeks: \((listing * 100).rounded() / 100) ms, \(occurrences / 50) occurrences on average")
exit(loading < 300 && listing < 20 ? 0 : 1)
