import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// Recorded data goes through every verb, and the results are compared with the oracle's.
    @Suite struct RecordedDataTests {
        @Test("a day of city buses gives the timelines that the contract asks for, and a second run adds nothing")
        func buses() async throws {
            guard let day = SharedData.url("data/telemetry/capmetrics/2016-11-24.csv.gz") else { return }
            let application = try await Application("buses")
            try await application.publish(
                configurations: try await Judges.oracle("configurations", "status", sources: [day.path]))
            try await application.run("produce", "telemetry", "--csv", day.path, "--format", "capmetrics")
            let run = try await check(application, "status", at: "2016-11-25T05:55:00Z", sources: [day.path])
            show("capmetrics, 2016-11-24: \(run)")
        }

        @Test(
            "three real calendars give the timelines that the contract asks for, and a second run adds nothing",
            arguments: [
                "2019-02-16T08:00:00Z",
                // The weekend on which clocks go forward, in a year in which the second calendar is busy.
                "2024-03-30T20:00:00Z",
            ])
        func calendars(at: String) async throws {
            let files = [
                "lisbon": "issue42_google_export_redacted", "paris": "issue_173_only_modifications_error",
                "potsdam": "machbar_16_feb_2019",
            ]
            guard let folder = SharedData.url("data/calendars") else { return }
            let application = try await Application("calendars")
            let calendars = files.sorted { $0.key < $1.key }.map { ($0.key, folder.path + "/\($0.value).ics") }
            let sources = calendars.map { "\($0.0)=\($0.1)" }
            try await application.publish(
                configurations: try await Judges.oracle("configurations", "events", sources: sources))
            for (calendar, file) in calendars {
                try await application.run("produce", "calendar", "--ics", file, "--calendar", calendar)
            }
            let run = try await check(application, "events", at: at, sources: sources)
            show("three calendars at \(at): \(run)")
        }

        /// The verbs that need published records.
        private func check(
            _ application: Application, _ strategy: String, at: String, sources: [String]
        ) async throws -> String {
            let first = try await application.process(clock: at)
            let files = try await application.sink()
            try await Judges.validate(files: files)
            let verdict = try await Judges.oracle(
                "check", strategy, "--at", at, "--configurations",
                application.directory.appending(path: "configurations.jsonl").path, "--files", files.path,
                sources: sources)
            #expect(first.deadLetters == 0 && first.timelines > 0 && first.reloads > 0)

            let before = try await application.records(of: "timelines")
            let second = try await application.process(clock: at)
            #expect(second.timelines == 0 && second.reloads == 0 && second.records == 0)
            #expect(try await application.records(of: "timelines") == before)
            let files2 = try await application.sink()
            try TimelineFiles.expectEqual(files2, files)
            return "\(first.records) records in \(first.wallSeconds) s, "
                + "\(verdict.trimmingCharacters(in: .whitespacesAndNewlines)); a second run added \(second.timelines)"
        }
    }
}
