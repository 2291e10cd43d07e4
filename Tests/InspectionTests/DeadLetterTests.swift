import Inspection
import Messages
import RecordLog
import Testing
import Timelines

@Suite("A dead letter says where it came from, and goes back as it came")
struct DeadLetterTests {
    private static let problem = MessageProblem(.missing, field: "vehicleId", "is missing")

    static func letter(
        _ own: [Header] = [], offset: Int64 = 7, from: Int64 = 40, size: Int? = nil, key: String = "k",
        value: String? = "{", problem: MessageProblem = problem
    ) -> DeadLetter {
        let added = DeadLetterHeaders.headers(for: problem, topic: "in", partition: 2, offset: from, size: size)
        return DeadLetter(
            Record(
                topic: "dead", partition: 1, offset: Offset(offset), timestamp: Instant(milliseconds: 1_000),
                key: Array(key.utf8), value: value.map { Array($0.utf8) },
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

    @Test("of a reason that no dead letter has, the reasons near it and all that there are are said")
    func unmetReasons() {
        let letter = Self.letter()
        let choice = DeadLetterChoice(reasons: ["missng", "VEHICLEID"], since: Instant(milliseconds: 2_000))
        #expect(choice.reasonsMet(by: letter) == ["VEHICLEID"], "whether it is chosen or not")
        var tally = DeadLetterTally()
        #expect(tally.hint(aboutReason: "missng") == "the topic holds none")
        tally.add(letter, .waiting)
        #expect(tally.hint(aboutReason: "missng") == "near it is 'missing'; the topic holds 1 missing")
        let far = "nothing is near it; reasons are 'missing'; the topic holds 1 missing"
        #expect(tally.hint(aboutReason: "tooLarge") == far)
    }

    @Test("the name of a kind chooses that kind alone, also where the message of another has the word")
    func kinds() {
        let missing = Self.letter()
        let other = Self.letter(problem: MessageProblem(.notAllowed, field: "zone", "is unknown, or a part is missing"))
        #expect(DeadLetterChoice(reasons: ["missing"]).accepts(missing))
        #expect(!DeadLetterChoice(reasons: ["missing"]).accepts(other))
        #expect(DeadLetterChoice(reasons: ["missing", "notAllowed"]).accepts(other))
        for text in ["Missing", "is missing", "zone"] {
            #expect(DeadLetterChoice(reasons: [text]).accepts(other), "\(text)")
        }
        let foreign = DeadLetter(Record(topic: "dead", partition: 0, offset: 0, key: nil, value: nil))
        #expect(DeadLetterChoice(reasons: ["unknown"]).accepts(foreign))
        #expect(!DeadLetterChoice(reasons: ["unknown"]).accepts(other))
    }

    private static func apply(
        _ value: [UInt8]?, of letter: DeadLetter = Self.letter(), to marks: inout OperationMarks, offset: Int64 = 0
    ) {
        let key = OperationMarks.key(of: letter)
        func apply(_ value: UnsafeRawBufferPointer?) {
            key.withUnsafeBytes { key in
                marks.apply(
                    RecordView(
                        topic: 0, partition: 0, offset: Offset(offset), timestamp: Instant(milliseconds: 0), key: key,
                        value: value, handle: nil), of: "operations")
            }
        }
        guard let value else { return apply(nil) }
        value.withUnsafeBytes { apply($0) }
    }

    @Test("a mark counts for the record that it was made for, not for another at its place")
    func marks() {
        let letter = Self.letter()
        var marks = OperationMarks()
        Self.apply(OperationMarks.value(of: .replayed, on: letter, at: Instant(milliseconds: 5_000)), to: &marks)
        #expect(marks.state(of: letter) == .done(.replayed, at: Instant(milliseconds: 5_000)))
        #expect(marks.state(of: Self.letter(value: "[")) == .waiting)
        #expect(marks.state(of: Self.letter(offset: 8, from: 41)) == .waiting)
        Self.apply(nil, to: &marks, offset: 1)
        #expect(marks.state(of: letter) == .waiting && marks.unreadable.isEmpty)
    }

    @Test("once a record went back, each dead letter of it is replayed; one of another place or content waits")
    func sameRecord() {
        let (first, second) = (Self.letter(), Self.letter(offset: 8))
        #expect(OperationMarks.source(of: first) == OperationMarks.source(of: second))
        let (early, late) = (Instant(milliseconds: 5_000), Instant(milliseconds: 6_000))
        var marks = OperationMarks()
        Self.apply(OperationMarks.value(of: .dropped, on: first, at: early), to: &marks)
        #expect(marks.state(of: first) == .done(.dropped, at: early) && marks.state(of: second) == .waiting)
        Self.apply(OperationMarks.value(of: .replayed, on: second, at: late), of: second, to: &marks)
        for letter in [first, second, Self.letter(offset: 9)] {
            #expect(marks.state(of: letter) == .done(.replayed, at: late))
        }
        // A record that went back and was set aside again came from another place.
        #expect(marks.state(of: Self.letter(offset: 9, from: 41)) == .waiting)
        #expect(marks.state(of: Self.letter(offset: 9, key: "other")) == .waiting)
        Self.apply(OperationMarks.value(of: .replayed, on: first, at: early), to: &marks)
        #expect(marks.state(of: second) == .done(.replayed, at: early))
        Self.apply(nil, of: first, to: &marks)
        #expect(marks.state(of: first) == .done(.replayed, at: late))
        Self.apply(nil, of: second, to: &marks)
        #expect(marks.state(of: first) == .waiting && marks.state(of: second) == .waiting)
    }

    @Test(
        "what is no mark is named until a mark or a tombstone of its key comes",
        arguments: ["", "{", "[]", "{}", #"{"operation":"sent"}"#])
    func unreadableMarks(text: String) {
        let letter = Self.letter()
        let mark = OperationMarks.value(of: .dropped, on: letter, at: Instant(milliseconds: 5_000))
        var marks = OperationMarks()
        for (offset, healing) in [(1, mark), (3, nil)] as [(Int64, [UInt8]?)] {
            Self.apply(Array(text.utf8), to: &marks, offset: offset)
            #expect(marks.unreadable.map(\.place.text) == ["operations[0]@\(offset)"])
            #expect(marks.unreadable.map(\.key) == ["dead-letter/dead/1/7"])
            Self.apply(healing, to: &marks, offset: offset + 1)
            #expect(marks.unreadable.isEmpty && (marks.state(of: letter) == .waiting) == (healing == nil))
        }
    }

    @Test("what is shown of it holds no push token, whether the value is JSON or not")
    func masked() {
        let token = String(repeating: "ab", count: 32)
        var parser = JSONParser()
        let context = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        for value in [
            #"{"push": {"token": "\#(token)"}}"#, #"{"push": {"token": "\#(token)""#, #"{"seal": "\#(token)"}"#,
        ] {
            let headers = [Header("authorization", "Bearer hush"), Header("traceparent", context)]
            let letter = Self.letter(headers, key: token, value: value)
            var json = JSONWriter()
            letter.write(to: &json, .waiting, with: &parser)
            let text = String(decoding: json.bytes, as: UTF8.self)
            let lines = letter.lines(.waiting, with: &parser).map(\.text).joined()
            for shown in [text, lines] { #expect(!shown.contains(token) && !shown.contains("hush"), "\(shown)") }
            for shown in [text, lines] { #expect(shown.contains(context), "\(shown)") }
        }
    }
}
