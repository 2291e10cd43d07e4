import Foundation
import RecordLog
import TestSupport
import Testing

extension AcceptanceTests {
    /// `produce calendar --ics` again and again, of folders and of files that change.
    @Suite struct CalendarPublicationTests {
        private static func calendar(_ uids: String...) -> String {
            let events = uids.map { "BEGIN:VEVENT\nUID:\($0)\nDTSTART:20261120T070000Z\nEND:VEVENT\n" }
            return "BEGIN:VCALENDAR\n\(events.joined())END:VCALENDAR\n"
        }

        private struct Counts: Decodable, Equatable {
            var sent: Int
            var unchanged: Int
            var removed: Int

            init(_ sent: Int, _ unchanged: Int, _ removed: Int) {
                (self.sent, self.unchanged, self.removed) = (sent, unchanged, removed)
            }

            init(_ result: ProcessResult) throws {
                let last = result.standardOutput.split(separator: "\n").last ?? ""
                self = try JSONDecoder().decode(Counts.self, from: Data(last.utf8))
            }
        }

        @Test("only what changed is sent, what is gone becomes tombstones, and a dry run changes nothing")
        func changes() async throws {
            let application = try await Application("calendars")
            let folder = application.directory.appending(path: "calendars").path
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            _ = try application.file("calendars/team.ics", Self.calendar("a", "b/1", "c"))
            _ = try application.file("calendars/rooms.ics", Self.calendar("x"))
            func publish(_ flags: String...) async throws -> ProcessResult {
                let words = ["produce", "calendar", "--ics", folder] + flags
                let result = try await tideline(words + application.options)
                try #require(result.succeeded, "\(result.failure)")
                return result
            }
            #expect(try await Counts(publish()) == Counts(4, 0, 0))
            #expect(try await Counts(publish()) == Counts(0, 4, 0))

            _ = try application.file("calendars/team.ics", Self.calendar("d", "a"))
            let dry = try await publish("--prune", "--dry-run")
            #expect(
                dry.standardOutput.split(separator: "\n").dropLast() == [
                    #"{"action":"add","key":"team/d"}"#, #"{"action":"remove","key":"team/b%2F1"}"#,
                    #"{"action":"remove","key":"team/c"}"#,
                ])
            #expect(try Counts(dry) == Counts(1, 2, 2))
            #expect(try await application.records(of: "calendar.events").count == 4)

            let kept = try await publish()
            #expect(try Counts(kept) == Counts(1, 2, 0))
            #expect(kept.standardError.contains("2 more of these calendars"), "\(kept.standardError)")
            let unasked = try await tideline(["produce", "calendar", "--ics", folder, "--prune"] + application.options)
            #expect(unasked.status == 64 && unasked.standardError.contains("--yes"), "\(unasked.failure)")
            #expect(try await application.records(of: "calendar.events").count == 5, "nothing was sent")
            #expect(try await Counts(publish("--prune", "--yes")) == Counts(0, 3, 2))
            #expect(try await Counts(publish("--prune")) == Counts(0, 3, 0))
            let records = try await application.records(of: "calendar.events")
            #expect(records.count == 7)
            #expect(Set(records.filter { $0.value == nil }.map(\.keyText)) == ["team/b%2F1", "team/c"])
            show("calendars: of a folder 4 events sent, 1 of a changed file, 2 removed, nothing twice")
        }

        @Test("a file that cannot be read ends with status 65, the others are published, and nothing of it is removed")
        func unreadable() async throws {
            let application = try await Application("calendars", partitions: 1)
            let good = try application.file("good.ics", Self.calendar("a", "b"))
            let words = ["produce", "calendar", "--calendar", "team", "--prune"] + application.options + ["--ics"]
            #expect(try await tideline(words + [good]).succeeded)
            _ = try application.file("good.ics", Self.calendar("a", "c"))
            let absent = application.directory.appending(path: "absent.ics").path
            let result = try await tideline(words + [good, absent])
            #expect(result.status == 65 && result.standardError.contains(absent), "\(result.failure)")
            #expect(try Counts(result) == Counts(1, 1, 0))
        }

        @Test(
            "what cannot be understood is said, with status 64",
            arguments: [
                (["--ics", "team.ics"], "needs '--calendar'"),
                (["--json", "-", "--prune"], "'--prune' is for '--ics'"),
                (["--json", "-", "--dry-run"], "'--dry-run' is for '--ics'"),
                (["--ics", "x", "--calendar", "y", "--yes"], "'--yes' is for '--prune'"),
                (["--ics", "x", "--json", "y"], "Give one of"),
                (["--ics", "x", "--calendar", ""], "must not be empty"),
            ])
        func misspelt(words: [String], hint: String) async throws {
            let result = try await tideline(["produce", "calendar"] + words)
            #expect(result.status == 64 && result.standardError.contains(hint), "\(result.failure)")
        }

        @Test("two files of one name in different folders are refused, with status 65")
        func sameName() async throws {
            let application = try await Application("calendars", partitions: nil)
            for folder in ["a", "b"] {
                let path = application.directory.appending(path: folder).path
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                _ = try application.file("\(folder)/team.ics", Self.calendar("x"))
            }
            let result = try await tideline(
                ["produce", "calendar", "--ics", application.directory.path] + application.options)
            #expect(result.status == 65, "\(result.failure)")
            #expect(result.standardError.contains("a/team.ics: rename one, or give '--calendar'"), "\(result.failure)")
        }
    }
}
