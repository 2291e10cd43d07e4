import Foundation
import HTTPServer
import Synchronization
import TestSupport
import Testing

/// Notes answers, to hold them to the OpenAPI document.
final class AnswerRecorder: Sendable {
    @TaskLocal static var current: AnswerRecorder?

    private let lines = Mutex<[String]>([])

    func note(_ method: String, _ target: String, _ response: HTTPResponse) {
        let object: [String: Any] = [
            "method": method, "target": target, "status": response.status,
            "headers": response.headers.map { [$0.name, $0.value] },
            "body": String(decoding: response.body.bytes.array, as: UTF8.self),
        ]
        guard let data = try? JSONSerialization.data(withJSONObject: object) else {
            preconditionFailure("texts and numbers are JSON")
        }
        lines.withLock { $0.append(String(decoding: data, as: UTF8.self)) }
    }

    /// Judges all answers with Python's jsonschema.
    func check() async throws {
        let lines = lines.withLock { $0 }
        guard !lines.isEmpty else { return }
        let file = TemporaryDirectory.make("answers").appending(path: "answers.jsonl")
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
        let result = try await ProcessRunner.run(
            PackageRoot.url.appending(path: "Scripts/python"),
            [PackageRoot.url.appending(path: "Scripts/check_answers.py").path], input: file, timeout: .seconds(300))
        #expect(result.succeeded, "\(result.standardOutput)\(result.standardError)")
    }
}

/// Holds every answer of a suite's tests to schemas/openapi.json, once the suite has ended.
struct AnswersConform: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let recorder = AnswerRecorder()
        try await AnswerRecorder.$current.withValue(recorder) { try await function() }
        try await recorder.check()
    }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> AnswersConform? {
        test.isSuite ? self : nil
    }
}

extension Trait where Self == AnswersConform {
    /// Every answer is one that the OpenAPI document has.
    static var answersConform: AnswersConform { AnswersConform() }
}
