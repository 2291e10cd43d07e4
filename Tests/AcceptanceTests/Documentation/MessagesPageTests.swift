import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// Every mistake is named, with what is allowed, and ends with the status that its kind has.
    @Suite struct MessagesPageTests {
        @Test("at least forty mistakes are answered with a message and a status; the page lists them")
        func page() async throws {
            let application = try await Application("mistakes")
            var page = MessagesPage()
            let groups: [(String, String, [Mistake])] = [
                ("The command line", "The nearest name is offered where there is one.", Mistake.ofCommandLine),
                ("Settings", "All that is wrong is said at once, each with its place.", Mistake.ofSettings),
                (
                    "Files",
                    "Nothing is sent where something is wrong with a file; `--keep-going` sends the rest.",
                    Mistake.ofFiles
                ),
                ("Brokers and topics", "A broker is waited for as long as `connect.timeout`.", Mistake.ofBrokers),
            ]
            for (title, introduction, mistakes) in groups {
                page.begin(title, introduction)
                for mistake in mistakes {
                    let result = try await make(mistake, application)
                    #expect(
                        result.status == mistake.status && !result.isSignalled, "\(mistake.title): \(result.failure)")
                    #expect(!result.standardError.isEmpty || mistake.status == 0, "\(mistake.title): nothing is said")
                    page.add(mistake, result, hiding: Self.replacements(for: application))
                }
            }
            page.begin(
                "Records", "The pipeline goes on; nothing is lost: a dead letter holds the bytes as they came.",
                columns: "mistake | topic | value | answer")
            for (record, answer) in zip(MistakenRecord.all, try await MistakenRecord.answers(from: application)) {
                page.add(record, try #require(answer, "\(record.title): no answer"))
            }
            #expect(page.count >= 40)
            let file = GeneratedFile(path: "Documentation/Messages.md")
            let difference = try file.difference(from: page.markdown)
            #expect(difference == nil, "\(difference ?? "")")
            show("messages: \(page.count) mistakes, each with its message and status, in \(file.path)")
        }

        /// Runs the program in a folder that has the mistake's files and nothing else.
        private func make(_ mistake: Mistake, _ application: Application) async throws -> ProcessResult {
            let folder = TemporaryDirectory.make("mistake")
            for (name, text) in mistake.files { try Data(text.utf8).write(to: folder.appending(path: name)) }
            var words = mistake.words
            if mistake.meetsBroker {
                words += ["--bootstrap", application.bootstrap, "--application", application.name]
                if !words.contains("--topic-prefix") { words += ["--topic-prefix", application.prefix] }
            }
            return try await ProcessRunner.run(
                TidelineExecutable.url, words, environment: mistake.environment, directory: folder)
        }

        /// The names of this run, each with the text that stands for it on the page.
        private static func replacements(for application: Application) -> [(String, String)] {
            [(application.prefix, ""), (application.name, "tideline"), (application.bootstrap, "localhost:9092")]
        }
    }
}
