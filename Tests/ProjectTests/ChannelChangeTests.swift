import Foundation
import TestSupport
import Testing

/// The same rule for asyncapi.yaml: channels, messages, keys, headers and operations.
@Suite("Changes of asyncapi.yaml are judged")
struct ChannelChangeTests {
    private static let channel = """
        "timelines": {"address": "timelines", "messages": {"timeline": {"$ref": "#/components/messages/timeline"}}, \
        "bindings": {"kafka": {"topicConfiguration": {"cleanup.policy": ["compact"]}}}}
        """
    private static let document = """
        {"defaultContentType": "application/json", "channels": {\(channel)}, \
        "operations": {"sendTimelines": {"action": "send", "channel": {"$ref": "#/channels/timelines"}}}, \
        "components": {"messages": {"timeline": {"title": "A timeline", \
        "payload": {"schema": {"$ref": "timelines.schema.json"}}, "headers": {"$ref": "#/components/schemas/event"}, \
        "bindings": {"kafka": {"key": {"type": "string", "description": "configurationId"}}}}}, \
        "schemas": {"event": {"required": ["ce_id"]}}}}
        """

    /// What is replaced in `document` by what.
    private static let allowedChanges: [(what: String, old: String, new: String)] = [
        ("nothing", "timelines", "timelines"),
        (
            "a channel is added", #""channels": {"#,
            #""channels": {"more": {"address": "x", "messages": {"m": {"payload": {}}}}, "#
        ),
        ("words change", #""title": "A timeline""#, #""title": "The timeline""#),
        ("words of the key change", #""description": "configurationId""#, #""description": "its id""#),
        (
            "the broker keeps larger records", #""cleanup.policy": ["#,
            #""max.message.bytes": 2000000, "cleanup.policy": ["#
        ),
        ("a header is always there now", #"["ce_id"]"#, #"["ce_id", "ce_type"]"#),
    ]

    private static let breakingChanges: [(what: String, old: String, new: String)] = [
        ("a channel is gone", channel, ""),
        ("a topic has another name", #""address": "timelines""#, #""address": "other""#),
        ("a message is gone", #""messages": {"timeline": {"$ref""#, #""messages": {"other": {"$ref""#),
        (
            "a message comes among those that are sent", #""messages": {"timeline": {"$ref""#,
            #""messages": {"other": {}, "timeline": {"$ref""#
        ),
        ("nothing is compacted", #"["compact"]"#, #"["delete"]"#),
        ("a header may be missing", #"["ce_id"]"#, "[]"),
        ("a payload is a text", #"{"schema": {"$ref": "timelines.schema.json"}}"#, #"{"type": "string"}"#),
        ("a payload is of another schema", "timelines.schema.json", "webhook.schema.json"),
        ("there are no headers", ##""headers": {"$ref": "#/components/schemas/event"}, "##, ""),
        ("there is no key", #""key": {"type": "string", "description": "configurationId"}"#, ""),
        ("a key is a number", #""key": {"type": "string""#, #""key": {"type": "integer""#),
        ("a content type comes", #""title": "A timeline""#, #""contentType": "text/plain""#),
        ("another content type holds for all", "application/json", "application/cbor"),
        ("what was sent is read", #""action": "send""#, #""action": "receive""#),
        ("nothing sends any more", #""sendTimelines""#, #""other""#),
        ("what works is planned", #""address": "#, #""x-status": "planned", "address": "#),
    ]

    @Test("channels may be added, and words change")
    func allowed() async throws {
        let result = try await judge(Self.allowedChanges)
        #expect(result.standardOutput == "\(Self.allowedChanges.count) passed, 0 failed\n", "\(result.standardError)")
        let planned = #""channels": {"x": {"x-status": "planned", "address": "x", "messages": {}}, "#
        let gone = (what: "what is planned goes", old: planned, new: #""channels": {"#)
        let document = Self.document.replacing(gone.new, with: planned)
        #expect(try await judge([gone], in: document).succeeded)
        let read = Self.document.replacing(#""send""#, with: #""receive""#)
        let more = (
            what: "a message is read, too", old: #"{"timeline": {"$ref""#, new: #"{"m": {}, "timeline": {"$ref""#
        )
        #expect(try await judge([more], in: read).succeeded)
    }

    @Test("what breaks is named, each for itself")
    func refused() async throws {
        let result = try await judge(Self.breakingChanges)
        for (index, change) in Self.breakingChanges.enumerated()
        where !result.standardError.contains("line \(index + 1): ") {
            Issue.record("passes: \(change.what)")
        }
        #expect(result.standardOutput == "0 passed, \(Self.breakingChanges.count) failed\n")
    }

    private func judge(
        _ changes: [(what: String, old: String, new: String)], in document: String = document
    ) async throws -> ProcessResult {
        let lines = try changes.map { change in
            try #require(document.contains(change.old), "\(change.what)")
            let new = document.replacing(change.old, with: change.new)
            return #"{"direction": "asyncapi", "old": \#(document), "new": \#(new)}"#
        }
        let file = TemporaryDirectory.make("changes").appending(path: "changes.jsonl")
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
        return try await ProcessRunner.run(
            PackageRoot.url.appending(path: "Scripts/validate-schemas"), ["--changes", file.path],
            timeout: .seconds(300))
    }
}
