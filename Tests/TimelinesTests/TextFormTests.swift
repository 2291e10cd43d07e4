import Testing
import Timelines

@Suite("Durations as text, and names that were probably meant")
struct TextFormTests {
    @Test(
        "Durations have weeks, days, hours, minutes and seconds",
        arguments: [
            ("PT30M", 0, 1800, "PT30M"), ("P1DT30M", 1, 1800, "P1DT30M"), ("P2W", 14, 0, "P14D"),
            ("P1W2DT3H4M5S", 9, 11_045, "P9DT3H4M5S"), ("PT36H", 0, 129_600, "PT36H"), ("PT0S", 0, 0, "PT0S"),
            ("P0D", 0, 0, "PT0S"), ("PT90M", 0, 5400, "PT1H30M"), ("PT1H5S", 0, 3605, "PT1H5S"),
        ] as [(String, Int, Int64, String)])
    func durations(text: String, days: Int, seconds: Int64, written: String) {
        #expect(CalendarDuration(iso8601: text) == CalendarDuration(days: days, time: .seconds(seconds)))
        #expect(lasting(text).iso8601 == written)
    }

    @Test(
        "Durations with months, years, signs, fractions or nothing in them are refused",
        arguments: [
            "", "P", "PT", "P1DT", "P1M", "P1Y", "-PT1S", "+PT1S", "PT1.5S", "PT1,5S", "PT", "PT5", "P5", "1D", "P1H",
            "PT1S1M", "P1D1W", "PT1M1M", "pt1m", "PT1D", "PT 1M", "P1DT1ST1S", "PT1000000000S",
        ])
    func refusedDurations(text: String) {
        #expect(CalendarDuration(iso8601: text) == nil)
    }

    @Test("The nearest name is the one with the fewest slips, if they are few")
    func nearestNames() {
        let names = ["status", "events", "fixedInterval"]
        #expect(nearestName(to: "stauts", among: names) == "status")
        #expect(nearestName(to: "Event", among: names) == "events")
        #expect(nearestName(to: "fixed-interval", among: names) == "fixedInterval")
        #expect(nearestName(to: "hourly", among: names) == nil)
        #expect(nearestName(to: "", among: names) == nil)
        #expect(nearestName(to: "x", among: []) == nil)
    }
}
