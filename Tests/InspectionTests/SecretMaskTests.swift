import Inspection
import Messages
import Testing
import Timelines

@Suite("Push tokens and secrets are never shown")
struct SecretMaskTests {
    private static let token = String(repeating: "c0ffee12", count: 8)

    @Test("members of JSON are masked by their names, at any depth")
    func json() throws {
        let text = """
            {"configurationId": "a", "push": {"token": "\(Self.token)", "topic": "com.example"},
             "parameters": {"apiKey": "abc", "list": [{"password": "x y"}], "pin_secret": 42, "title": "token"}}
            """
        var parser = JSONParser()
        let value = try Array(text.utf8).withUnsafeBytes { try parser.value($0) }
        var json = JSONWriter()
        json.value(SecretMask.masked(value))
        let masked = String(decoding: json.bytes, as: UTF8.self)
        for secret in [Self.token, "abc", "x y", "42"] { #expect(!masked.contains(secret), "\(masked)") }
        #expect(masked.contains("com.example") && masked.contains(#""title":"token""#))
        #expect(masked.contains("(masked, 64 bytes)"))
    }

    @Test(
        "text that is no JSON is masked after a secret's name, and where it looks like a token",
        arguments: [
            #"{"configurationId": "a", "push": {"token": "TOKEN"#, #"token=TOKEN&x=1"#, "at TOKEN, in a sentence",
            #"{'Authorization' : 'Bearer TOKEN', "x": 1"#, "password:\tTOKEN", "TOKEN",
        ])
    func text(_ pattern: String) {
        for secret in [Self.token, "hunter-2"] where secret == Self.token || pattern.contains(/[:=]/) {
            let masked = SecretMask.masked(text: pattern.replacing("TOKEN", with: secret))
            #expect(!masked.contains(secret), "\(masked)")
            #expect(masked.contains("masked, "), "\(masked)")
        }
    }

    @Test("a token is masked in JSON under any name, as the name of a member, and as an id")
    func digits() {
        let text = ParameterValue.string("at \(Self.token).")
        let tokens: [ParameterValue] = [
            text, .array([text]), .object(Parameters([Parameters.Member(key: Self.token, value: text)])),
        ]
        for value in tokens {
            for name in ["title", "recipient", ""] {
                var json = JSONWriter()
                json.value(SecretMask.masked(value, named: name))
                let masked = String(decoding: json.bytes, as: UTF8.self)
                #expect(!masked.contains(Self.token) && masked.contains("(masked, 64 bytes)"), "\(masked)")
            }
        }
        var row = InspectedRow()
        row.add("key", Self.token)
        #expect(row.text("key") == "(masked, 64 bytes)")
        let apiKey = String(Self.token.prefix(32))
        #expect(SecretMask.masked(.string(apiKey), named: "title") == .string("(masked, 32 bytes)"))
    }

    @Test("ids of 32 digits and trace contexts stay, in JSON, in text and as a key")
    func noTokens() {
        let id = "0af7651916cd43dd8448eb211c80319c"
        let context = "00-\(id)-b7ad6b7169203331-01"
        for name in ["configurationId", "vehicleId", "calendarIds", "recipient"] {
            #expect(SecretMask.masked(.string(id), named: name) == .string(id))
        }
        var row = InspectedRow()
        row.add("key", id)
        #expect(row.text("key") == id)
        #expect(SecretMask.masked(.string(context), named: "traceparent") == .string(context))
        for text in [context, "traceparent: \(context), and so on"] { #expect(SecretMask.masked(text: text) == text) }
        for text in [context + "0", "00-\(id)\(id)-b7ad6b7169203331-01", "00-\(id)"] {
            #expect(!SecretMask.masked(text: text).contains(id), "\(text)")
        }
    }

    @Test("what is no secret stays as it is")
    func rest() {
        for text in ["speed: must be a number", "the message is not valid JSON", "deadbeef", ""] {
            #expect(SecretMask.masked(text: text) == text)
        }
    }
}
