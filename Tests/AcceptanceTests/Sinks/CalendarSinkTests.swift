import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    @Suite struct CalendarSinkTests {
        private static let python = URL(filePath: "/usr/bin/python3")

        @Test("calendars have each event that timelines show, as Debian's icalendar reads them; nginx serves them")
        func calendars() async throws {
            var data = GeneratedData(steps: 10)
            let application = try await Application("calendars")
            try await data.publish(to: application)
            _ = try await application.process(clock: GeneratedData.clock)
            let files = try await application.sink()
            let calendars = application.directory.appending(path: "calendars")
            try await application.run("sink", "--to", "ics:\(calendars.path)", "--until-caught-up")
            let events = try await compare(calendars, with: files)
            #expect(events > 40)

            let nginx = try await serve(calendars)
            let address = "\(nginx.address)/board-1.ics"
            let first = try await fetch(address)
            let text = try String(contentsOf: calendars.appending(path: "board-1.ics"), encoding: .utf8)
            #expect(first.status == 200 && first.body == text)
            #expect(first.headers["content-type"] == "text/calendar; charset=utf-8")
            let tag = try #require(first.headers["etag"])
            #expect(try await fetch(address, "If-None-Match: \(tag)").status == 304)
            #expect(try await fetch("\(nginx.address)/.tideline-offsets.json").status == 404)

            // What changes is seen by whoever asks again.
            let change =
                #"{"calendarId":"c1","uid":"new","title":"Moved in; now","start":"2026-03-01T15:00:00Z","#
                + #""duration":"PT1H"}"#
            let file = try application.file("new.jsonl", change + "\n")
            try await application.run("produce", "calendar", "--json", file)
            _ = try await application.process(clock: "2026-03-01T12:00:05Z")
            try await application.run("sink", "--to", "ics:\(calendars.path)", "--until-caught-up")
            let second = try await fetch(address, "If-None-Match: \(tag)")
            #expect(second.status == 200 && second.body.contains(#"SUMMARY:Moved in\; now"#), "\(second)")
            let more = try await compare(calendars, with: try await application.sink())
            // A timeline holds so many entries at most: the new event takes the place of later ones.
            #expect(more > 0 && events > 0)
            await nginx.stop()
            show("calendars: \(more) events in 220 files as icalendar reads them; nginx: 200, 304, 200 after a change")
        }

        @Test("a folder for each recipient, and the calendars of those who are gone go")
        func byRecipient() async throws {
            let application = try await Application("folders", partitions: 2)
            let lines = ["ana", "ben"].map { #"{"configurationId":"of-\#($0)","kind":"Board","recipient":"\#($0)"}"# }
            try await application.publish(configurations: lines.joined(separator: "\n") + "\n")
            _ = try await application.process(clock: GeneratedData.clock)
            let calendars = application.directory.appending(path: "calendars")
            let words = ["sink", "--to", "ics:\(calendars.path)?by=recipient", "--until-caught-up"]
            try await application.run(words)
            #expect(try files(below: calendars) == ["ana/of-ana.ics", "ben/of-ben.ics"])
            let changes =
                #"{"configurationId":"of-ana","kind":"Board","recipient":"ben"}"# + "\n"
                + #"{"configurationId":"of-ben","deleted":true}"# + "\n"
            try await application.publish(configurations: changes)
            _ = try await application.process(clock: "2026-03-01T12:00:05Z")
            try await application.run(words)
            #expect(try files(below: calendars) == ["ben/of-ana.ics"])
            let other = try await tideline(
                ["sink", "--to", "files:\(calendars.path)", "--until-caught-up"] + application.options)
            #expect(other.status == 70 && other.standardError.contains("it holds calendars by recipient"))
            let wrong = try await tideline(["sink", "--to", "ics:x?by=kind"] + application.options)
            #expect(wrong.status == 64 && wrong.standardError.contains("?by=recipient"), "\(wrong.failure)")
        }

        @Test("an e-mail address as recipient and an id with a space are served at the name of their file")
        func addresses() async throws {
            let application = try await Application("addresses", partitions: 1)
            let ids = [("my van", "ana@example.org"), ("Ä/1", "b/c"), (".x", "ben")]
            let lines = ids.map { #"{"configurationId":"\#($0)","kind":"Board","recipient":"\#($1)"}"# + "\n" }
            try await application.publish(configurations: lines.joined())
            _ = try await application.process(clock: GeneratedData.clock)
            let calendars = application.directory.appending(path: "calendars")
            try await application.run("sink", "--to", "ics:\(calendars.path)?by=recipient", "--until-caught-up")
            let names = ["ana%40example.org/my%20van.ics", "b%2fc/%c3%84%2f1.ics", "ben/%2ex.ics"]
            #expect(try files(below: calendars) == names)

            let nginx = try await serve(calendars)
            for name in names + ["ana@example.org/my%20van.ics", "ana@example.org/my%20van.ics?from=phone"] {
                let answer = try await fetch("\(nginx.address)/\(name)")
                let file = name.replacing("@", with: "%40").replacing("?from=phone", with: "")
                let text = try String(contentsOfFile: "\(calendars.path)/\(file)", encoding: .utf8)
                #expect(answer.status == 200 && answer.body == text, "\(name): \(answer)")
            }
            // A folder's name holds a slash for nginx, and none for the file system.
            let outside = application.directory.appending(path: "outside.ics")
            try Data("outside".utf8).write(to: outside)
            for name in [".tideline-offsets.json", "ben/.x.ics", "ben", "", "none.ics", "b%2fc/../../outside.ics"] {
                #expect(try await fetch("\(nginx.address)/\(name)").status == 404, "\(name)")
            }
            await nginx.stop()
        }

        /// nginx with the configuration of the examples.
        private func serve(_ calendars: URL) async throws -> NginxProcess {
            let example = PackageRoot.url.appending(path: "Examples/calendars/nginx.conf")
            return try await NginxProcess { port in
                try String(contentsOf: example, encoding: .utf8)
                    .replacing("listen 8082;", with: "listen 127.0.0.1:\(port);")
                    .replacing("root /srv/calendars;", with: "root \(calendars.path);")
            }
        }

        private func files(below folder: URL) throws -> [String] {
            try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".ics") }.sorted()
        }

        /// Compares calendars with timelines, each file with its own, by Python alone.
        ///
        /// - Returns: the number of events.
        private func compare(_ calendars: URL, with timelines: URL) async throws -> Int {
            let run = try await ProcessRunner.run(Self.python, ["-c", Self.script, calendars.path, timelines.path])
            try #require(run.succeeded, "\(run.failure); Scripts/setup test installs python3-icalendar")
            return try #require(Int(run.standardOutput.trimmingCharacters(in: .newlines)))
        }

        private static let script = """
            import icalendar, json, os, sys, datetime
            calendars, timelines = sys.argv[1:]
            names = sorted(name[:-5] for name in os.listdir(timelines) if not name.startswith('.'))
            assert names == sorted(name[:-4] for name in os.listdir(calendars) if not name.startswith('.'))
            def moment(text):
                if 'T' not in text: return datetime.date.fromisoformat(text)
                return datetime.datetime.fromisoformat(text.replace('Z', '+00:00'))
            count = 0
            for name in names:
                timeline = json.load(open(f'{timelines}/{name}.json'))
                wanted, alarms = {}, {}
                for entry in timeline['entries']:
                    shown = [entry.get('event'), entry.get('next')] + (entry.get('ongoing') or [])
                    for event in filter(None, shown):
                        key = (event['calendarId'], event['uid'], event.get('recurrenceId'))
                        wanted[key] = (event['title'], moment(event['start']), moment(event['end']))
                    if entry['phase'] == 'preEvent':
                        event = entry['event']
                        start = moment(event['start'])
                        alarms[event['title'], start] = start - moment(entry['date'])
                calendar = icalendar.Calendar.from_ical(open(f'{calendars}/{name}.ics', 'rb').read())
                assert not calendar.errors and not any(part.errors for part in calendar.walk()), name
                assert calendar['X-TIDELINE-REVISION'] == str(timeline['revision']), name
                assert calendar['X-WR-CALNAME'] == f"{timeline['kind']} {timeline['configurationId']}", name
                events = calendar.walk('VEVENT')
                found = sorted((str(e['SUMMARY']), e.decoded('DTSTART'), e.decoded('DTEND')) for e in events)
                assert found == sorted(wanted.values()), (name, found, wanted)
                assert len({str(e['UID']) for e in events}) == len(events), name
                rung = {(str(e['SUMMARY']), e.decoded('DTSTART')): -a.decoded('TRIGGER')
                    for e in events for a in e.walk('VALARM')}
                assert rung == alarms, (name, rung, alarms)
                count += len(events)
            print(count)
            """

        private struct Answer {
            var status: Int
            var headers: [String: String]
            var body: String
        }

        private func fetch(_ address: String, _ header: String? = nil) async throws -> Answer {
            let words = ["-s", "-i", "--path-as-is", address] + (header.map { ["-H", $0] } ?? [])
            let run = try await ProcessRunner.run(URL(filePath: "/usr/bin/curl"), words)
            try #require(run.succeeded, "\(run.failure)")
            let parts = run.standardOutput.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
            let lines = parts[0].split(separator: "\r\n")
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                guard let colon = line.firstIndex(of: ":") else { continue }
                headers[line[..<colon].lowercased()] = line[colon...].dropFirst(2).description
            }
            let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            return Answer(status: status ?? 0, headers: headers, body: parts.count == 2 ? String(parts[1]) : "")
        }
    }
}
