import Agendas
import Foundation
import TestSupport
import Testing
import Timelines

/// Changes bytes, lines and lengths of texts, the same ones for the same seed.
struct TextMutator {
    private let texts: [[UInt8]]
    private var random: SplitMix64

    /// What turns a text into another that is nearly right.
    private static let words = [
        "BEGIN:VEVENT", "END:VEVENT", "BEGIN:VTIMEZONE", "END:VCALENDAR", "RRULE:FREQ=SECONDLY", "RDATE:20240101/P1D",
        "DTSTART:99991231T235959Z", "DTSTART;VALUE=DATE:00010101", "DURATION:-P999999999D", "DTEND:00010101T000000",
        "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "TZOFFSETTO:+9999", "SEQUENCE:99999999999999999999", "COUNT=0",
        "INTERVAL=999999", ";TZID=", ":", ";", "=", "\"", "\\", "\r", "\n ", "\u{0}", "é", "\u{FEFF}", "-1",
        "2147483648",
        "RECURRENCE-ID;RANGE=THISANDFUTURE:20240101T090000Z", "RECURRENCE-ID:00010101T000000",
        "RECURRENCE-ID:99991231T235959", "RDATE:20240101T090000Z/P999999999D", "EXDATE:", "X-WR-TIMEZONE:Europe/Berlin",
        "UNTIL=20240230",
    ].map { Array($0.utf8) }

    init(_ texts: [[UInt8]], seed: UInt64) {
        self.texts = texts
        random = SplitMix64(seed: seed)
    }

    mutating func next() -> [UInt8] {
        var text = texts.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let place = Int.random(in: 0...text.count, using: &random)
            let length = min(text.count - place, Int.random(in: 0...24, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0 where place < text.count: text[place] = UInt8.random(in: 0...255, using: &random)
            case 1: text.removeSubrange(place..<place + length)
            case 2: text.insert(contentsOf: Self.words.randomElement(using: &random) ?? [], at: place)
            case 3: swapLines(&text)
            case 4: text.insert(contentsOf: text[place..<place + length], at: place)
            case 5 where place > 40: text.removeSubrange(place...)
            default: break
            }
        }
        return text
    }

    private mutating func swapLines(_ text: inout [UInt8]) {
        var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        lines.swapAt(
            Int.random(in: 0..<lines.count, using: &random), Int.random(in: 0..<lines.count, using: &random))
        text = Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    }
}

/// `TIDELINE_FUZZ=1000000 swift test --filter mutatedCalendars` for a long run; TIDELINE_FUZZ_SEED for another one.
@Test("Mutated files never end the process: what they hold is expanded, and each problem names a line of them")
func mutatedCalendars() throws {
    let environment = ProcessInfo.processInfo.environment
    let rounds = environment["TIDELINE_FUZZ"].flatMap { Int($0) } ?? 3000
    let seed = environment["TIDELINE_FUZZ_SEED"].flatMap { UInt64($0) } ?? 1
    let folder = PackageRoot.url.appending(path: "Tests/AgendasTests/Corpus")
    let texts = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        .filter { $0.hasSuffix(".ics") }
        .map { Array(try Data(contentsOf: folder.appending(path: $0))) }.filter { $0.count < 20_000 }
    try #require(texts.count > 50)
    var mutator = TextMutator(texts, seed: seed)
    var (events, occurrences, problems) = (0, 0, 0)
    for _ in 0..<rounds {
        let text = mutator.next()
        let found = ICalendar.events(in: text, calendarId: "c")
        let lines = text.reduce(1) { $0 + ($1 == UInt8(ascii: "\n") || $1 == UInt8(ascii: "\r") ? 1 : 0) }
        #expect(found.problems.allSatisfy { 1...lines ~= $0.line }, "\(String(decoding: text, as: UTF8.self))")
        let agenda = found.agenda(
            from: at("2024-01-01T00:00:00Z"), to: at("2024-07-01T00:00:00Z"), in: try zone("Europe/Berlin"))
        events += found.events.count
        occurrences += agenda.occurrences.count
        problems += found.problems.count + agenda.problems.count
    }
    print("\(rounds) mutated files, seed \(seed): \(events) events, \(occurrences) occurrences, \(problems) problems")
    #expect(events > rounds / 2)
    #expect(problems > rounds / 10)
}
