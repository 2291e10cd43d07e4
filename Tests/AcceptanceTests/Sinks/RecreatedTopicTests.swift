import Foundation
import RecordLog
import TestSupport
import Testing

extension AcceptanceTests {
    /// A topic is deleted and made again while the sink that reads it does not run.
    @Suite struct RecreatedTopicTests {
        @Test(
            "after timelines was deleted and made again longer than before, a restarted sink misses none of them",
            .needsKafkaTools)
        func timelines() async throws {
            let application = try await Application("recreated", partitions: 1)
            let files = application.directory.appending(path: "timelines")
            try await write(1...14, to: application)
            _ = try await application.sink()
            #expect(try Self.names(in: files).count == 14)

            try await application.deleteTopic("timelines")
            try await application.run("topics", "--partitions", "1")
            try await write(101...130, to: application)
            let result = try await application.run("sink", "--to", "files:\(files.path)", "--until-caught-up")
            #expect(try Self.names(in: files).count == 44, "\(result.failure)")
            #expect(result.standardError.contains("the topic was made anew"), "\(result.failure)")
            #expect(result.standardOutput.contains(#""startedOver":1"#), "\(result.failure)")
            // From there it goes on as ever.
            let again = try await application.run("sink", "--to", "files:\(files.path)", "--until-caught-up")
            #expect(again.standardOutput.contains(#""records":0"#), "\(again.failure)")
            // What the topic does not have goes where that is asked for.
            let words = ["sink", "--to", "files:\(files.path)", "--until-caught-up", "--remove-absent"]
            let unasked = try await tideline(words + application.options)
            let numbers = "14 of 44 timelines that \(application.topic("timelines")) does not have"
            #expect(unasked.status == 64 && unasked.standardError.contains("--yes"), "\(unasked.failure)")
            #expect(unasked.standardError.contains(numbers), "\(unasked.failure)")
            #expect(try Self.names(in: files).count == 44)
            let last = try await application.run(words + ["--yes"])
            #expect(last.standardOutput.contains(#""removed":14"#), "\(last.failure)")
            #expect(try Self.names(in: files).count == 30)
            show("timelines deleted and made again, sink restarted: 30 of 30 new timelines are files, said and counted")
        }

        @Test("nothing is removed while the plan of a reset stands")
        func reset() async throws {
            let application = try await Application("absentreset", partitions: 1)
            try await write(1...3, to: application)
            let files = try await application.sink()
            // It is named by the application, as the prefix is.
            try await application.createTopic("reset", partitions: 1, recordBytesMax: 1 << 20)
            try await application.produce([(key: "plan", value: Array("{}".utf8), headers: [])], to: "reset")
            let words = ["sink", "--to", "files:\(files.path)", "--until-caught-up", "--remove-absent", "--yes"]
            let result = try await tideline(words + application.options)
            #expect(result.status == 70, "\(result.failure)")
            #expect(result.standardError.contains("a reset is under way"), "\(result.failure)")
            #expect(try Self.names(in: files).count == 3)
        }

        @Test("a target that another topic has filled keeps all that it holds")
        func otherTopic() async throws {
            let application = try await Application("absentother", partitions: 1)
            try await write(1...3, to: application)
            let files = try await application.sink()
            let staging = try await Application("absentstaging", partitions: 1)
            try await write(4...5, to: staging)
            let words = ["sink", "--to", "files:\(files.path)", "--until-caught-up", "--remove-absent", "--yes"]
            let result = try await tideline(words + staging.options)
            #expect(result.status == 70, "\(result.failure)")
            #expect(result.standardError.contains("none was read from this topic"), "\(result.failure)")
            #expect(try Self.names(in: files).count == 3)
        }

        @Test("what a topic does not have is removed where the target says what it holds, and by a run that ends")
        func refused() async throws {
            for (words, text) in [
                (["--to", "files:out", "--remove-absent"], "is for sinks of timelines, with '--until-caught-up'"),
                (["--reloads", "sqlite:x", "--until-caught-up", "--remove-absent"], "is for sinks of timelines"),
                (["--to", "files:out", "--until-caught-up", "--yes"], "is for '--forget' and '--remove-absent'"),
                (["--to", "stdout", "--until-caught-up", "--remove-absent"], "no other target says what it holds"),
                (
                    ["log", "--set", #"sinks={"log":{"to":"stdout"}}"#, "--until-caught-up", "--remove-absent"],
                    "the target of the sink 'log' must be files:"
                ),
            ] {
                let result = try await tideline(["sink"] + words)
                #expect(result.status == 64 && result.standardError.contains(text), "\(result.failure)")
            }
        }

        private static func names(in directory: URL) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { !$0.hasPrefix(".") }
        }

        private func write(_ numbers: ClosedRange<Int>, to application: Application) async throws {
            let records = numbers.map { number in
                let value = #"{"configurationId":"c\#(number)","revision":1,"generatedAt":"2026-01-01T00:00:00Z"}"#
                return (key: Optional("c\(number)"), value: Optional(Array(value.utf8)), headers: [Header]())
            }
            try await application.produce(records, to: "timelines")
        }
    }
}
