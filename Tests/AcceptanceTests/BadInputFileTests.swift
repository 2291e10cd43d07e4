import Foundation
import TestBroker
import Testing

extension AcceptanceTests {
    @Suite struct BadInputFileTests {
        @Test("an input file that cannot be read is named with its line, with status 65")
        func files() async throws {
            let application = try await Application("files", partitions: 1)
            let header = "vehicle_id,timestamp,speed,route_id,trip_id,latitude,longitude,trip_headsign\n"
            let good = #"{"vehicleId":"a","observedAt":1}"# + "\n"
            let cases: [(verb: [String], name: String, text: String, place: String)] = [
                (
                    ["configurations", "--json"], "c.jsonl", #"{"configurationId":"a","kind":"K"}"# + "\n{\"kind\":\n",
                    ":2: "
                ),
                (["telemetry", "--json"], "t.jsonl", good + "nonsense\n", ":2: "),
                (["telemetry", "--json"], "a.json", "[\n" + good.dropLast() + ",\n[]\n]", ":3: "),
                (
                    ["telemetry", "--format", "capmetrics", "--csv"], "t.csv",
                    header + "1,2016-11-24T00:00:51-06:00,1,1,1,30,-97,x\n1,yesterday,1,1,1,30,-97,x\n", ":3: "
                ),
                (["telemetry", "--format", "capmetrics", "--csv"], "h.csv", "vehicle_id,speed\n1,2\n", ":1: "),
                (["telemetry", "--format", "ndsbr", "--csv"], "n.csv", "nothing\n", ":1: "),
                (["calendar", "--calendar", "c", "--ics"], "e.ics", "nothing\n", ":1: "),
                (["calendar", "--json"], "e.json", "{\n\"uid\": \"x\",\n]\n", ":3: "),
            ]
            for (verb, name, text, place) in cases {
                let path = try application.file(name, text)
                let result = try await tideline(["produce"] + verb + [path] + application.options)
                #expect(result.status == 65, "\(name): \(result.failure)")
                #expect(result.standardError.contains(path + place), "\(name): \(result.failure)")
            }
            let absent = application.directory.appending(path: "absent.csv").path
            let result = try await tideline(
                ["produce", "telemetry", "--format", "capmetrics", "--csv", absent] + application.options)
            #expect(result.status == 65 && result.standardError.contains(absent), "\(result.failure)")
            show("bad input files: \(cases.count) kinds named with file and line, status 65")
        }

        @Test("an event of a calendar file that cannot be used is left out and named with its line")
        func event() async throws {
            let application = try await Application("ics", partitions: 1)
            let path = try application.file(
                "c.ics",
                """
                BEGIN:VCALENDAR
                VERSION:2.0
                BEGIN:VEVENT
                UID:1
                DTSTART:nonsense
                END:VEVENT
                BEGIN:VEVENT
                UID:2
                SUMMARY:Good
                DTSTART:20240101T100000Z
                END:VEVENT
                END:VCALENDAR

                """)
            let result = try await application.run("produce", "calendar", "--ics", path, "--calendar", "c")
            #expect(result.standardError.contains("left out: \(path):5: DTSTART"), "\(result.standardError)")
            #expect(try await application.records(of: "calendar.events").map(\.keyText) == ["c/2"])
        }
    }
}
