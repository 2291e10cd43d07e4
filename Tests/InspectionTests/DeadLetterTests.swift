import Inspection
import Messages
import RecordLog
import Testing
import Timelines

@Suite("A dead letter says where it came from, and goes back as it came")
struct DeadLetterTests {
    private static let problem = MessageProblem(.missing, field: "vehicleId", "is missing")

    static func letter(
        _ own: [Header] = [], offset: Int64 = 7, size: Int? = nil, value: String? = "{",
        problem: MessageProblem = problem
    ) -> DeadLetter {
        let added = DeadLetterHeaders.headers(for: problem, topic: "in", partition: 2, offset: 40, size: size)
        return DeadLetter(
            Record(
                topic: "dead", partition: 1, offset: Offset(offset), timestamp: Instant(milliseconds: 1_000),
                key: Array("k".utf8), value: value.map { Array($0.utf8) },
                headers: own + added.map { Header($0.name, $0.value) }))
    }

    @Test("reason, message and origin come from its last headers; the earlier ones are the record's own")
    func headers() {
        let own = [Header("trace", "1"), Header("__streams.errors.exception", "Other"), Header("x", nil)]
        let letter = Self.letter(own)
        #expect(letter.reason == "missing" && letter.message == "vehicleId: is missing")
        #expect(letter.origin == SourceOffset(topic: "in", partition: 2, offset: 40))
        #expect(letter.originalHeaders == own && letter.hindrance == nil)
        #expect(letter.id.text == "1/7" && DeadLetterId("1/7") == letter.id)
        for text in ["1", "1/", "a/b", "-1/2", "1/2/3", ""] { #expect(DeadLetterId(text) == nil, "\(text)") }
    }

    @Test("it goes back with its own headers and the name of the dead letter, which stands once")
    func replayed() {
        let again = Self.letter([Header("a", "b"), Header("tideline_replay", "0/1")])
        #expect(again.replayHeaders == [Header("a", "b"), Header("tideline_replay", "1/7")])
    }

    @Test("what lost its value or its origin cannot go back, and says why")
    func hindrances() {
        #expect(Self.letter(size: 2_000_000, value: "").hindrance?.contains("2000000 bytes") == true)
        let foreign = DeadLetter(Record(topic: "dead", partition: 0, offset: 0, key: nil, value: nil))
        #expect(foreign.reason == "unknown" && foreign.hindrance?.contains("headers") == true)
    }

    @Test("a choice takes ids, reasons by kind or by words of the message, and a beginning")
    func choice() {
        let letter = Self.letter()
        #expect(DeadLetterChoice(reasons: ["missing"]).accepts(letter))
        #expect(DeadLetterChoice(reasons: ["VEHICLEID"]).accepts(letter))
        #expect(!DeadLetterChoice(reasons: ["unreadable"]).accepts(letter))
        #expect(DeadLetterChoice(reasons: ["unreadable", "missing"]).accepts(letter))
        #expect(DeadLetterChoice(since: Instant(milliseconds: 1_000)).accepts(letter))
        #expect(!DeadLetterChoice(since: Instant(milliseconds: 1_001)).accepts(letter))
        #expect(DeadLetterChoice(ids: [letter.id]).accepts(letter))
        #expect(!DeadLetterChoice(ids: [DeadLetterId(partition: 1, offset: 8)]).accepts(letter))
    }

    @Test("a mark counts for the record that it was made for, not for another at its place")
    func marks() {
        let letter = Self.letter()
        var marks = OperationMarks()
        let key = OperationMarks.key(of: letter)
        let value = OperationMarks.value(of: .replayed, on: letter, at: Instant(milliseconds: 5_000))
        key.withUnsafeBytes { key in
            value.withUnsafeBytes { value in
                marks.apply(
                    RecordView(
                        topic: 0, partition: 0, offset: 0, timestamp: Instant(milliseconds: 0), key: key, value: value,
                        handle: nil))
            }
        }
        #expect(marks.state(of: letter) == .done(.replayed, at: Instant(milliseconds: 5_000)))
        #expect(marks.state(of: Self.letter(value: "[")) == .waiting)
        #expect(marks.state(of: Self.letter(offset: 8)) == .waiting)
    }

    @Test("what is shown of it holds no push token, whether the value is JSON or not")
    func masked() {
        let token = String(repeating: "ab", count: 32)
        var parser = JSONParser()
        for value in [#"{"push": {"token": "\#(token)"}}"#, #"{"push": {"token": "\#(token)""#] {
            let letter = Self.letter([Header("authorization", "Bearer hush")], value: value)
            var json = JSONWriter()
            letter.write(to: &json, .waiting, with: &parser)
            let text = String(decoding: json.bytes, as: UTF8.self)
            let lines = letter.lines(.waiting, with: &parser).map(\.text).joined()
            for shown in [text, lines] { #expect(!shown.contains(token) && !shown.contains("hush"), "\(shown)") }
        }
    }
}
