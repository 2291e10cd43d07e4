import Settings
import Testing

@Suite("Passwords in texts")
struct MaskedTextTests {
    @Test(
        "passwords of addresses are stars in any text, and nothing else is",
        arguments: [
            ("postgres://ana:secret@db/x", "postgres://ana:********@db/x"),
            ("redis://:secret@h:6379/0", "redis://:********@h:6379/0"),
            ("redis://:Zm9v/YmFy@h", "redis://:********@h"), ("redis://:p@ss@h/1", "redis://:********@h/1"),
            (
                #"{"a": {"to": "postgres:host=h password='a b' user=u"}}"#,
                #"{"a": {"to": "postgres:host=h password=******** user=u"}}"#
            ),
            (
                #"{"a": {"to": "redis://u:p@h"}, "b": {"to": "files:x@y"}}"#,
                #"{"a": {"to": "redis://u:********@h"}, "b": {"to": "files:x@y"}}"#
            ),
            ("postgres://db/x?PASSWORD=p&user=u", "postgres://db/x?PASSWORD=********&user=u"),
            ("kafka:boards@other:9092", "kafka:boards@other:9092"),
            ("https://{recipient}.example/t", "https://{recipient}.example/t"),
        ])
    func masked(text: String, shown: String) {
        #expect(Secrets.masked(text) == shown)
        #expect(Secrets.redact(text, of: "sinks") == shown)
    }

    @Test(
        "of a tree what has the key of a secret is stars, and nothing else is",
        arguments: [
            (
                #"{a: {to: 'https://t.example', secret: 'it''s "hunter2"', secret-file: s.txt, batch: 2}}"#,
                #"{"a":{"to":"https://t.example","secret":"********","secret-file":"s.txt","batch":2}}"#
            ),
            (#"{"a": {"token": ["x", "y"]}}"#, #"{"a":{"token":"********"}}"#),
            (#"[{"secret": 1}, "b"]"#, #"[{"secret":"********"},"b"]"#),
            (#"{"k": {"token": {"type": "string"}}}"#, #"{"k": {"token": {"type": "string"}}}"#),
            (#"{"a": {"to": "redis://u:p@h"}}"#, #"{"a": {"to": "redis://u:********@h"}}"#), ("", ""),
        ])
    func trees(text: String, shown: String) throws {
        #expect(Secrets.redact(tree: text) == shown)
        let type = SettingType<Bool>.tree(allowed: "a map") { _ in true }
        let key = SettingKey("sinks", type, default: false, "Sinks.")
        let flag = SettingsSources.Flag(key: "sinks", text: text, flag: "--set")
        let settings = try SettingsSchema([key]).resolve(SettingsSources(flags: [flag]))
        #expect(settings.description == "sinks = \(shown) (--set)")
    }

    @Test("settings show sinks without the passwords of their addresses")
    func settings() throws {
        let key = SettingKey("place", .string, default: "files:out", "A place.")
        let schema = SettingsSchema([key])
        let flag = SettingsSources.Flag(key: "place", text: "redis://u:secret@h", flag: "set")
        let settings = try schema.resolve(SettingsSources(flags: [flag]))
        #expect(settings.description.contains("redis://u:********@h"))
        #expect(settings[key] == "redis://u:secret@h")
    }
}
