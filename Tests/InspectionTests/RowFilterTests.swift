import Inspection
import Timelines
import Testing

@Suite("Rows are chosen by conditions on their fields")
struct RowFilterTests {
    private let fields = ["id", "kind", "speed", "push", "calendarIds", "phase"]

    private var row: InspectedRow {
        var row = InspectedRow()
        row.add("id", "a-1")
        row.add("kind", "Bus")
        row.add("speed", 40)
        row.add("push", .bool(true))
        row.add("calendarIds", ["team", "rooms"])
        return row
    }

    private func accepts(_ conditions: (String, String)...) throws -> Bool {
        try RowFilter(conditions.map { .init(field: $0.0, value: $0.1) }, fields: fields).accepts(row)
    }

    @Test(
        "a value is compared as its JSON says it; a list meets a condition by one element; a star ends a beginning",
        arguments: [
            ("kind", "Bus", true), ("kind", "bus", false), ("kind", "B*", true), ("kind", "*", true),
            ("speed", "40", true), ("push", "true", true), ("push", "yes", false), ("calendarIds", "rooms", true),
            ("calendarIds", "room", false), ("phase", "", true), ("phase", "stale", false), ("kind", "", false),
        ])
    func conditions(field: String, value: String, isMet: Bool) throws {
        #expect(try accepts((field, value)) == isMet)
    }

    @Test("every condition must be met")
    func all() throws {
        #expect(try accepts(("kind", "Bus"), ("speed", "40")))
        #expect(try !accepts(("kind", "Bus"), ("speed", "41")))
    }

    @Test("a field that the list does not have is refused, with those that it has and the nearest")
    func unknown() throws {
        do throws(RowFilter.UnknownField) {
            _ = try RowFilter([.init(field: "knd", value: "Bus")], fields: fields)
            Issue.record("'knd' was taken")
        } catch {
            #expect(error.description.contains("id, kind, speed"))
            #expect(error.description.hasSuffix("did you mean kind?"))
        }
    }

    @Test("an id that nothing has is answered with what is near it, else with what there is")
    func nearIds() {
        #expect(NearIds.unknown("configuration", "my-vam", among: ["my-van", "my-wall", "x"]).contains("'my-van'"))
        #expect(NearIds.of("bus-22", among: ["bus-2228", "bus-2291", "tram-1"]) == ["bus-2228", "bus-2291"])
        #expect(
            NearIds.unknown("configuration", "zzz", among: ["a"]).hasSuffix(
                "nothing is near it; configurations are 'a'"))
        #expect(NearIds.unknown("configuration", "a", among: []).hasSuffix("there are no configurations"))
    }
}
