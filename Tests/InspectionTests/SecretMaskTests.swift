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

    static let credentials: [(String, [String])] = [
        ("https://u:pw@host/x?token=hunter2", ["u:pw", "hunter2"]),
        ("see https://u:p@ss@host:8443/a, or redis://:pa/ss@cache", ["u:p@ss", "pa/ss"]),
        (
            "https://host/x?a=1&X-Goog-Signature=hunter2&key=hunter3#id_token=hunter4",
            ["hunter2", "hunter3", "hunter4"]
        ),
        ("Server=db;Password=hunter2", ["hunter2"]),
        ("Authorization: Bearer abc", ["Bearer", "abc"]), ("Proxy-Authorization:Digest user, abc", ["Digest", "abc"]),
        ("curl -H \"Authorization: Basic abc\"", ["Basic", "abc"]), ("Bearer abc", ["abc"]),
        ("(bearer ey-J.x_y)", ["ey-J.x_y"]), ("Basic dXNlcjpwYXNz", ["dXNlcjpwYXNz"]),
        (#"{"token": "hunter\"2", "x": 1}"#, ["hunter", "2\""]), (#"{\"apiKey\":\"a,b\"}"#, ["a,b"]),
    ]

    @Test("credentials are masked in strings of any name, in ids, in sentences and in text", arguments: credentials)
    func credential(_ text: String, _ secrets: [String]) {
        let value = SecretMask.masked(.string(text), named: "feed")
        guard case .string(let string) = value else {
            Issue.record("\(value)")
            return
        }
        let forms = [
            string, SecretMask.masked(id: text), SecretMask.masked(sentence: "must be a duration, not \"\(text)\""),
            SecretMask.masked(text: text),
        ]
        for masked in forms {
            for secret in secrets { #expect(!masked.contains(secret), "\(masked)") }
            #expect(masked.contains("(masked, "), "\(masked)")
        }
        #expect(SecretMask.masked(.string(string), named: "feed") == value, "what is masked is not masked again")
        #expect(SecretMask.masked(.string(forms[3])) == .string(forms[3]), "nor what was no JSON")
    }

    @Test("around a credential all stays as it is")
    func around() {
        #expect(
            SecretMask.masked(.string("https://u:pw@host/x?a=1&token=hunter2&b=2"))
                == .string("https://(masked, 4 bytes)@host/x?a=1&token=(masked, 7 bytes)&b=2"))
        #expect(
            SecretMask.masked(text: #"{"token": "hunter\"2", "x": 1"#) == #"{"token": "(masked, 9 bytes)", "x": 1"#)
        #expect(
            SecretMask.masked(sentence: "it says \"Authorization: Bearer abc\", and goes on")
                == "it says \"Authorization: (masked, 10 bytes)\", and goes on")
        let reason = Reason(.configuration, "must be a duration, not \"https://u:pw@host\"", rules: [])
        #expect(reason.text == "must be a duration, not \"https://(masked, 4 bytes)@host\"")
    }

    @Test(
        "ordinary text, addresses and ids stay as they are",
        arguments: [
            "token", "Password reset: 3 pm", "Basic training", "Basic 101", "Bearer of bad news", "the bearer",
            "https://host:8080/feed?page=2&email=a@b#top", "postgres://reader@db:5432/tideline",
            "kafka://a:9092,b:9092",
            "10:30 – 11:00", "a@b.example", "vehicle:4711", "author=Ana", "?monkey=1&keys=2", "mailto:ana@b.example",
            "0af7651916cd43dd8448eb211c80319c/2026-11-22T08:00:00Z", "must be PT1S, such as PT15M, not \"2 min\"",
        ])
    func ordinary(_ text: String) {
        #expect(SecretMask.masked(id: text) == text)
        #expect(SecretMask.masked(sentence: text) == text)
        #expect(SecretMask.masked(.string(text), named: "calendarId") == .string(text))
    }
}
