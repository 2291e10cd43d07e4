import Messages
import Testing

@Suite("A configuration's push")
struct PushRegistrationTests {
    @Test("says token, topic and environment; production where it says none")
    func reads() throws {
        let short = try read(#"{"token": "00fA", "topic": "com.example.app"}"#)?.get()
        #expect(short == PushRegistration(token: "00fa", topic: "com.example.app", environment: .production))
        let full = try read(#"{"token": "00", "topic": "a-b.c", "environment": "sandbox"}"#)?.get()
        #expect(full == PushRegistration(token: "00", topic: "a-b.c", environment: .sandbox))
    }

    @Test("may be absent or null")
    func absent() throws {
        #expect(try read("null") == nil)
        let reading = try reading(#"{"configurationId": 7}"#)
        #expect(reading.push == nil && reading.configurationId == "7")
    }

    @Test(
        "is refused with the field and what is allowed",
        arguments: [
            (#"{"topic": "a"}"#, "push.token: is missing"), (#"{"token": "00"}"#, "push.topic: is missing"),
            (#"{"token": "0", "topic": "a"}"#, "push.token: must be"),
            (#"{"token": "", "topic": "a"}"#, "push.token: must be"),
            (#"{"token": "zz", "topic": "a"}"#, "push.token: must be"),
            (#"{"token": "00", "topic": "a b"}"#, "push.topic: must be"),
            (#"{"token": "00", "topic": ""}"#, "push.topic: must be"),
            (#"{"token": "00", "topic": "a", "environment": "prodution"}"#, "did you mean production?"),
            (#"{"token": 5, "topic": "a"}"#, "push.token: must be text"), (#""00""#, "push: must be an object"),
        ])
    func refuses(push: String, reason: String) throws {
        guard case .failure(let problem) = try read(push) else {
            Issue.record("\(push) is taken")
            return
        }
        #expect(problem.description.contains(reason), "\(problem)")
    }

    private func read(_ push: String) throws -> Result<PushRegistration, MessageProblem>? {
        try reading(#"{"configurationId": "c", "push": \#(push)}"#).push
    }

    private func reading(_ value: String) throws -> PushRegistration.Reading {
        var parser = JSONParser()
        return try Array(value.utf8).withUnsafeBytes { try PushRegistration.read($0, with: &parser) }
    }
}
