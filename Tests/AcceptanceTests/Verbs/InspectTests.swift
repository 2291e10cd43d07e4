import Foundation
import RecordLog
import TestSupport
import Testing

extension AcceptanceTests {
    /// `list`, `show` and `explain` on a real broker, with a pipeline that has run and ended.
    @Suite struct InspectTests {
        private static let token = String(repeating: "c0ffee12", count: 8)
        private static let clock = "2026-11-20T06:30:00Z"

        /// A van that moves, a wall that shows a calendar, and a configuration that cannot be used.
        private func world(_ name: String) async throws -> Application {
            let application = try await Application(name)
            let configurations = """
                {"configurationId": "my-van", "kind": "Bus", "vehicleId": "v-1", "recipient": "phone", "push": \
                {"token": "\(Self.token)", "topic": "com.example.app"}}
                {"configurationId": "my-wall", "kind": "Agenda", "calendarIds": ["studio"], "timeZone": "Europe/Berlin"}

                """
            try await application.publish(configurations: configurations)
            try await application.produce(
                [("odd", Array(#"{"configurationId": "odd", "kind": "Bus", "timeZone": "Mars/Base"}"#.utf8), [])],
                to: "widget.configurations")
            let telemetry =
                #"{"vehicleId": "v-1", "observedAt": "2026-11-20T06:29:00Z", "ignition": true, "speed": 40}"#
            try await application.run(
                "produce", "telemetry", "--json", try application.file("telemetry.jsonl", telemetry + "\n"))
            let event = """
                {"calendarId": "studio", "uid": "life", "title": "Life drawing", "start": "2026-11-20T09:30:00Z", \
                "end": "2026-11-20T10:00:00Z"}

                """
            try await application.run("produce", "calendar", "--json", try application.file("events.jsonl", event))
            _ = try await application.process(clock: Self.clock)
            return application
        }

        private func lines(_ result: ProcessResult) throws -> [[String: Any]] {
            try result.standardOutput.split(separator: "\n").map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
            }
        }

        @Test("lists are JSON lines on a pipe, ascend, take conditions, and hold no push token")
        func lists() async throws {
            let application = try await world("lists")
            let all = try await application.run("list", "configurations")
            let rows = try lines(all)
            try #require(rows.map { $0["configurationId"] as? String } == ["my-van", "my-wall", "odd"])
            #expect(rows[0]["strategy"] as? String == "status" && rows[0]["push"] as? Bool == true)
            #expect(rows[0]["revision"] is Int && rows[0]["offset"] is Int)
            #expect((rows[2]["problem"] as? String)?.hasPrefix("timeZone: ") == true)
            #expect(!all.standardOutput.contains(Self.token))

            let some = try await application.run(
                "list", "configurations", "--where", "kind=Bus", "--where", "push=false")
            #expect(try lines(some).map { $0["configurationId"] as? String } == ["odd"])
            let none = try await application.run("list", "vehicles", "--where", "status=Offline")
            #expect(none.standardOutput.isEmpty && none.standardError.contains("none of 1 meets every condition"))

            let vehicles = try lines(try await application.run("list", "vehicles"))
            try #require(vehicles.count == 1)
            #expect(vehicles[0]["status"] as? String == "Moving")
            #expect(vehicles[0]["configurations"] as? Int == 1)
            let calendars = try lines(try await application.run("list", "calendars"))
            try #require(calendars.count == 1)
            #expect(calendars[0]["events"] as? Int == 1)
            let recipients = try lines(try await application.run("list", "recipients"))
            #expect(recipients.map { $0["recipient"] as? String } == ["my-wall", "odd", "phone"])
            #expect(recipients[2]["reason"] as? String == "configurationChanged")

            let table = try await application.run("list", "configurations", "--table")
            #expect(table.standardOutput.hasPrefix("configurationId") && !table.standardOutput.contains("{"))
            let wrong = try await tideline(["list", "vehicles", "--where", "stat=x"] + application.options)
            #expect(wrong.status == 64 && wrong.standardError.contains("did you mean status?"), "\(wrong.failure)")
            let misspelt = try await tideline(["list", "vehicle"] + application.options)
            #expect(misspelt.status == 64 && misspelt.standardError.contains("vehicles"), "\(misspelt.failure)")
            show("lists: configurations, vehicles, calendars and recipients from the topics alone; tokens masked")
        }

        @Test("show gives now, next, countdown, budget and sources; an unknown id is told what is near it")
        func showsTimeline() async throws {
            let application = try await world("show")
            let object = try #require(try lines(try await application.run("show", "my-wall")).first)
            #expect(object["configurationId"] as? String == "my-wall")
            for field in ["now", "budget", "sources", "timeline", "nextUpdate", "lastReload", "offset"] {
                #expect(object[field] != nil, "\(field)")
            }
            #expect((object["sources"] as? [Any])?.count == 2)
            let card = try await application.run("show", "my-wall", "--table").standardOutput
            for part in ["my-wall", "Life drawing", "budget", "reload", application.topic("calendar.events") + "["] {
                #expect(card.contains(part), "\(card)")
            }
            let unknown = try await tideline(["show", "my-vam"] + application.options)
            #expect(unknown.status == 64 && unknown.standardError.contains("'my-van'"), "\(unknown.failure)")
            #expect(unknown.standardOutput.isEmpty)
        }

        @Test("show masks the secrets of parameters in every form")
        func masks() async throws {
            let application = try await Application("masks")
            let configuration = """
                {"configurationId": "c", "kind": "K", "strategy": {"name": "fixedInterval"}, "parameters": \
                {"apiKey": "hunter-2", "hue": "red", "seal": "\(Self.token)"}}

                """
            try await application.publish(configurations: configuration)
            _ = try await application.process(clock: Self.clock)
            for form in ["--json", "--table"] {
                let shown = try await application.run("show", "c", form).standardOutput
                #expect(shown.contains("hue") && shown.contains("(masked, 8 bytes)"), "\(shown)")
                #expect(!shown.contains("hunter-2") && !shown.contains(Self.token), "\(shown)")
            }
        }

        @Test("records that cannot be read are counted on standard error, with the first of them")
        func unread() async throws {
            let application = try await world("unread")
            let topics = ["widget.configurations", "timelines", "timeline.reloads", "vehicle.telemetry"]
            for topic in topics {
                let bad: (key: String?, value: [UInt8]?, headers: [RecordLog.Header]) = ("my-van", Array("{".utf8), [])
                try await application.produce([bad, bad], to: topic)
            }
            func expect(_ unread: [String], _ words: String...) async throws {
                let result = try await tideline(words + application.options)
                #expect(result.succeeded && !result.standardOutput.isEmpty, "\(result.failure)")
                for topic in topics {
                    let name = application.topic(topic)
                    let sentence = "2 records of \(name) cannot be read and are passed over; the first is \(name)["
                    let isSaid = result.standardError.contains(sentence)
                    #expect(isSaid == unread.contains(topic), "\(words): \(topic): \(result.failure)")
                }
            }
            try await expect(["widget.configurations", "timelines"], "list", "configurations")
            try await expect(["widget.configurations", "vehicle.telemetry"], "list", "vehicles")
            try await expect(["widget.configurations"], "list", "calendars")
            try await expect(["widget.configurations", "timeline.reloads"], "list", "recipients")
            try await expect(["widget.configurations", "timelines", "timeline.reloads"], "explain", "my-van")
            try await expect(["timeline.reloads"], "show", "my-van")
        }

        @Test("show --watch says that a topic cannot be read, once, and what is new and cannot be read")
        func watchedTrouble() async throws {
            let application = try await world("trouble")
            let watching = try application.start("show", "my-van", "--watch")
            try await expect(1, linesOf: watching)
            try await application.produce([("my-van", Array("{".utf8), [])], to: "timeline.reloads")
            try await expect("cannot be read as a reload", from: watching)
            try await application.deleteTopic("timelines")
            let warning = "warning: \(application.topic("timelines")) cannot be read now: "
            try await expect(warning, from: watching)
            watching.terminate()
            let result = await watching.result()
            #expect(result.succeeded && result.standardError.split(separator: warning).count == 2, "\(result.failure)")
        }

        private func expect(_ text: String, from process: ProcessRunner) async throws {
            for _ in 0..<300 {
                if process.errorOutput.contains(text) { return }
                try await Task.sleep(for: .milliseconds(100))
            }
            Issue.record("not '\(text)': \(process.errorOutput)")
        }

        @Test("show --watch writes a line for each timeline as it is committed, and ends in order")
        func watch() async throws {
            let application = try await world("watch")
            let watching = try application.start("show", "my-van", "--watch")
            try await expect(1, linesOf: watching)
            let news = #"{"vehicleId": "v-1", "observedAt": "2026-11-20T06:29:30Z", "ignition": false}"#
            try await application.run(
                "produce", "telemetry", "--json", try application.file("news.jsonl", news + "\n"))
            _ = try await application.process(clock: Self.clock)
            try await expect(2, linesOf: watching)
            watching.terminate()
            let result = await watching.result()
            #expect(result.succeeded, "\(result.failure)")
            let entries = try lines(result).map { $0["now"] as? [String: Any] }
            #expect(
                entries.map { ($0?["vehicle"] as? [String: Any])?["status"] as? String } == ["Moving", "IgnitionOff"])
        }

        private func expect(_ count: Int, linesOf process: ProcessRunner) async throws {
            for _ in 0..<300 {
                if process.output.split(separator: "\n").count >= count { return }
                try await Task.sleep(for: .milliseconds(100))
            }
            Issue.record("not \(count) lines: \(process.output) \(process.errorOutput)")
        }

        @Test("explain names rules and records: entry, status, date, reload, what comes next")
        func explains() async throws {
            let application = try await world("explain")
            let at = "2026-11-20T06:31:00Z"
            let reasons = try lines(try await application.run("explain", "my-van", "--at", at))
            func texts(_ about: String) -> [(text: String, rules: [String])] {
                reasons.filter { $0["about"] as? String == about }.map {
                    ($0["text"] as? String ?? "", $0["rules"] as? [String] ?? [])
                }
            }
            for about in ["configuration", "timeline", "cause", "entry", "date", "status", "source", "reload", "next"] {
                try #require(!texts(about).isEmpty, "nothing about \(about)")
            }
            #expect(texts("status")[0].text.contains("Moving follows from ignition on and a speed of 40 km/h"))
            #expect(texts("status")[0].rules == ["M3"] && texts("entry")[0].rules == ["T23"])
            #expect(texts("reload")[0].text.contains("phone was told") && texts("reload")[0].rules.contains("L4"))
            let sources = reasons.filter { $0["about"] as? String == "source" }.flatMap {
                $0["sources"] as? [[String: Any]] ?? []
            }
            let topics = Set(sources.compactMap { $0["topic"] as? String })
            #expect(topics == [application.topic("widget.configurations"), application.topic("vehicle.telemetry")])

            let early = try await tideline(
                ["explain", "my-van", "--at", "2026-11-20T06:00:00Z"] + application.options)
            #expect(early.status == 64 && early.standardError.contains(Self.clock), "\(early.failure)")
            let entry = try await tideline(
                ["explain", "my-wall", "--at", at, "--entry", "start/studio/live/2026-11-20T09:30:00Z"]
                    + application.options)
            #expect(entry.status == 64 && entry.standardError.contains("'start/studio/life/"), "\(entry.failure)")
            let preEvent = try await application.run(
                "explain", "my-wall", "--at", at, "--entry", "preEvent/studio/life/2026-11-20T09:30:00Z")
            #expect(preEvent.standardOutput.contains("30 minutes before Life drawing"), "\(preEvent.standardOutput)")
            let odd = try await application.run("explain", "odd", "--at", at)
            #expect(odd.standardOutput.contains("cannot be used: timeZone") && odd.standardOutput.contains("T15"))
            let unknown = try await tideline(["explain", "my-vam"] + application.options)
            #expect(unknown.status == 64 && unknown.standardError.contains("'my-van'"), "\(unknown.failure)")
            show("explain: \(reasons.count) sentences about my-van, each with rules and records")
        }
    }
}
