import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    @Suite struct LinesSinkTests {
        @Test("standard output has each timeline as a line, and nothing else; a reader who goes away ends it in order")
        func standardOutput() async throws {
            var data = GeneratedData(steps: 2)
            let application = try await Application("lines")
            try await data.publish(to: application)
            _ = try await application.process(clock: GeneratedData.clock)
            let result = try await application.run("sink", "--to", "stdout", "--until-caught-up")
            let files = try TimelineFiles.read(try await application.sink())
            var last: [String: Data] = [:]
            for line in result.standardOutput.split(separator: "\n") {
                let id = try #require(line.firstMatch(of: /^{"configurationId":"([^"]*)"/)?.1)
                last["\(id).json"] = line.contains(#""deleted":true"#) ? nil : Data(line.utf8)
            }
            #expect(last == files && files.count == 220)
            #expect(result.standardError.contains(#"{"records":"#))

            let words = ["sink", "--to", "stdout"] + application.options
            let command = ([TidelineExecutable.url.path] + words).map { "'\($0)'" }.joined(separator: " ")
            let head = try await ProcessRunner.run(
                URL(filePath: "/bin/bash"), ["-o", "pipefail", "-c", "\(command) | head -n 1"], timeout: .seconds(60))
            #expect(head.succeeded && head.standardOutput.hasPrefix(#"{"configurationId":"#), "\(head.failure)")
            #expect(head.standardOutput.split(separator: "\n").count == 1)
        }
    }
}
