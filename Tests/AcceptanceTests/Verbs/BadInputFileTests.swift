import Foundation
import TestSupport
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
                    ":2:1: "
                ),
                (["telemetry", "--json"], "t.jsonl", good + "nonsense\n", ":2:1: "),
                (["telemetry", "--json"], "a.json", "[\n" + good.dropLast() + ",\n[]\n]", ":3:1: "),
                (
                    ["telemetry", "--format", "capmetrics", "--csv"], "t.csv",
                    header + "1,2016-11-24T00:00:51-06:00,1,1,1,30,-97,x\n1,yesterday,1,1,1,30,-97,x\n", ":3: "
                ),
                (["telemetry", "--format", "capmetrics", "--csv"], "h.csv", "vehicle_id,speed\n1,2\n", ":1: "),
                (["telemetry", "--format", "ndsbr", "--csv"], "n.csv", "nothing\n", ":1: "),
                (["calendar", "--calendar", "c", "--ics"], "e.ics", "nothing\n", ":1: "),
                (["calendar", "--json"], "e.json", "{\n\"uid\": \"x\",\n]\n", ":3:1: "),
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

        @Test("all faults of a JSON file are named before anything of it is sent; --keep-going sends the rest")
        func judged() async throws {
            let application = try await Application("judged", partitions: 1)
            let path = try application.file(
                "w.jsonl",
                """
                {"configurationId":"good","kind":"K"}
                {"configurationId":"a","kind":"K",}
                [1,2]
                {"configurationId":"b","kind":"K","strategy":"statsu","timeZone":"Europe/Berlim"}
                {"configurationId":"good","deleted":"yes"}
                {"configurationId":"c","kind":"D","family":"systemLarge"}

                """)
            let words =
                ["produce", "configurations", "--json", path, "--set"]
                + [#"kinds={"D":{"supportedFamilies":["systemSmall"]}}"#] + application.options
            let refused = try await tideline(words)
            #expect(refused.status == 65 && refused.standardOutput.isEmpty, "\(refused.failure)")
            let lines = refused.standardError.split(separator: "\n").map { $0.replacing("tideline: ", with: "") }
            let places = ["2:35: ", "3:2: ", "4:35: strategy", "4:55: timeZone", "5:27: deleted", "6:35: family"]
            for place in places { #expect(lines.contains { $0.hasPrefix("\(path):\(place)") }, "\(place): \(lines)") }
            #expect(lines.count == places.count + 1 && lines.last?.contains("nothing was sent") == true, "\(lines)")
            #expect(try await application.records(of: "widget.configurations").isEmpty)

            let rest = try await tideline(words + ["--keep-going"])
            #expect(rest.status == 65 && rest.standardError.contains("left out 5 of 6 records"), "\(rest.failure)")
            #expect(rest.standardError.contains("left out: \(path):2:35: "), "\(rest.failure)")
            #expect(rest.standardOutput.contains(#""records":1,"#) && rest.standardOutput.contains(#""skipped":5,"#))
            #expect(try await application.records(of: "widget.configurations").map(\.keyText) == ["good"])
            show("JSON with \(places.count) faults: all named with line and column, nothing sent, status 65")
        }

        @Test("standard input that is a file on disk is judged and sent by all three verbs")
        func standardInput() async throws {
            let application = try await Application("stdin", partitions: 1)
            let cases = [
                ("telemetry", "vehicle.telemetry", #"{"vehicleId":"v","observedAt":1}"#),
                ("calendar", "calendar.events", #"{"calendarId":"c","uid":"u","title":"t","start":"2026-11-20"}"#),
                ("configurations", "widget.configurations", #"{"configurationId":"a","kind":"K"}"#),
            ]
            for (verb, topic, line) in cases {
                let path = try application.file("\(verb).jsonl", line + "\n" + line + "\n")
                let result = try await ProcessRunner.run(
                    TidelineExecutable.url, ["produce", verb, "--json", "-"] + application.options,
                    input: URL(filePath: path))
                #expect(result.succeeded && result.standardOutput.contains(#""records":2,"#), "\(result.failure)")
                #expect(try await application.records(of: topic).count == 2)
            }
        }

        @Test("what is larger than the pipeline reads, or than the topic takes, is refused before anything is sent")
        func sizes() async throws {
            let application = try await Application("sizes", partitions: nil)
            try await application.createTopic("vehicle.telemetry", partitions: 1, recordBytesMax: 4000)
            let record = { (count: Int) in
                #"{"vehicleId":"v","observedAt":1,"x":""# + String(repeating: "y", count: count) + "\"}\n"
            }
            for (size, allowed) in [(5000, "at most 4000"), (2 << 20, "at most 1048576 are read")] {
                let path = try application.file("large.jsonl", record(1) + record(size))
                let result = try await tideline(["produce", "telemetry", "--json", path] + application.options)
                #expect(result.status == 65, "\(result.failure)")
                #expect(result.standardError.contains("\(path):2:1: ") && result.standardError.contains(allowed))
            }
            #expect(try await application.records(of: "vehicle.telemetry").isEmpty)
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
