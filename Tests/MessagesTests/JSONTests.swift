import Foundation
import Messages
import TestSupport
import Testing
import Timelines

@Suite struct JSONTests {
    @Test("a document is read with its numbers as they are written, the last of two members and every escape")
    func reading() throws {
        var parser = JSONParser()
        let value = try parser.value(
            #" {"b": [1, -0.50e+3, 123456789012345678901234567890, true, false, null, "\u00e9\\"], "a": 1, "a": {}} "#)
        #expect(
            value
                == .object(
                    Parameters([
                        .init(key: "a", value: .object(Parameters())),
                        .init(
                            key: "b",
                            value: .array([
                                .number("1"), .number("-0.50e+3"), .number("123456789012345678901234567890"),
                                .bool(true), .bool(false), .null, .string("é\\"),
                            ])),
                    ])))
    }

    @Test(
        "what is not one JSON object or array is refused",
        arguments: [
            "", " ", "x", "1", #""a""#, "null", "{", "[", "{]", "[1,]", "[,]", "[1 2]", "[1]]", "[1][2]", "[1,2}",
            #"{"a"}"#, #"{"a":}"#, #"{"a" 1}"#, #"{"a":1,}"#, #"{,}"#, #"{"a":1 "b":2}"#, #"{a:1}"#, #"{"a":tru}"#,
            "[01]", "[1.]", "[.5]", "[+1]", "[1e]", "[0x1]", "[NaN]", "[truefalse]", "[\"\t\"]", #"["\ud800"]"#,
            #"["\u12"]"#, #"["a":1]"#, #"{"a":"b":1}"#, #"{"a":["b":1]}"#, #"["a]"#, #"{"a\q":1}"#,
        ])
    func refusing(text: String) {
        var parser = JSONParser()
        #expect(throws: MessageProblem.self) { try parser.value(text) }
    }

    @Test("what is read and what is refused is what another reader reads and refuses")
    func agreesWithFoundation() throws {
        var generator = SplitMix64(seed: 11)
        var parser = JSONParser()
        let seeds = [
            #"{"a":[1,-2.5e3,{"b":null}],"c":"x\ny","d":{},"e":[true,false,[]]}"#, #"[[["\u00e9",0],"q\\"],{"k":"v"}]"#,
        ]
        let letters = Array("{}[],:\"\\ 01-.eEtrufalsn\n")
        var refused = 0
        for _ in 0..<20_000 {
            var text = Array(seeds.randomElement(using: &generator)!)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: 0..<text.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: text.remove(at: index)
                case 1: text.insert(letters.randomElement(using: &generator)!, at: index)
                default: text[index] = letters.randomElement(using: &generator)!
                }
            }
            let mutated = String(text)
            // Foundation takes a comma before the closing bracket; RFC 8259 does not.
            guard !mutated.contains(/,\s*[\]}]/) else { continue }
            let isJSON = (try? JSONSerialization.jsonObject(with: Data(mutated.utf8))) != nil
            let isRead = (try? parser.value(mutated)) != nil
            #expect(isRead == isJSON, "\(mutated)")
            let telemetry = #"{"vehicleId":"v","observedAt":1,"ignored":\#(mutated)}"#
            #expect(((try? vehicle(telemetry)) != nil) == isJSON, "\(telemetry)")
            if !isRead { refused += 1 }
        }
        #expect(refused > 5_000 && refused < 18_000)
    }

    @Test("instants and dates are written as everywhere else")
    func instants() {
        var generator = SplitMix64(seed: 3)
        for _ in 0..<10_000 {
            let range: ClosedRange<Int64> =
                Bool.random(using: &generator) ? -400_000_000_000_000...400_000_000_000_000 : -1_000...4_102_444_800_000
            let instant = Instant(
                milliseconds: Int64.random(in: range, using: &generator) / [1, 1000].randomElement(
                    using: &generator)! * [1, 1000].randomElement(using: &generator)!)
            #expect(json { $0.instant(instant) } == "\"\(instant.rfc3339)\"")
        }
        #expect(json { $0.date(LocalDate(year: 7, month: 3, day: 1)) } == "\"0007-03-01\"")
        // Of one document, in which days come again: among them the last before 1970, and one of five digits.
        let days: [Int64] = [0, 86_399_999, 86_400_000, -1, 253_402_300_800_000, -62_200_000_000_000, 1, 86_400_001]
        let texts = json { json in
            json.beginArray()
            for day in days { json.instant(Instant(milliseconds: day)) }
            json.endArray()
        }
        #expect(texts == "[" + days.map { "\"\(Instant(milliseconds: $0).rfc3339)\"" }.joined(separator: ",") + "]")
    }

    @Test("128 levels are read, one more is too deep")
    func depth() throws {
        var parser = JSONParser()
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        _ = try parser.value(nested(128))
        #expect(
            reason { () throws(MessageProblem) in _ = try parser.value(nested(129)) }
                == "The message is nested deeper than 128 levels.")
    }

    @Test("values are written compactly, with commas where they belong")
    func writing() {
        let text = json { json in
            json.beginObject()
            json.string("text", "a\"b\\c\n\r\t\u{8}\u{C}\u{1}/é🚌")
            json.string("absent", nil)
            json.strings("list", ["x", "y"])
            json.bool("yes", true)
            json.instant("at", Instant(milliseconds: 1_795_155_900_250))
            json.date("on", LocalDate(year: 2026, month: 11, day: 20))
            json.key("inner")
            json.beginArray()
            json.beginObject()
            json.endObject()
            json.null()
            json.beginArray()
            json.endArray()
            json.endArray()
            json.endObject()
        }
        #expect(
            text == #"{"text":"a\"b\\c\n\r\t\b\f\u0001/é🚌","list":["x","y"],"yes":true,"#
                + #""at":"2026-11-20T06:25:00.250Z","on":"2026-11-20","inner":[{},null,[]]}"#)
    }

    @Test(
        "a number is written in the shortest form that reads back",
        arguments: [
            (0.0, "0"), (-0.0, "0"), (40.0, "40"), (-3.0, "-3"), (0.1, "0.1"), (30.2672, "30.2672"), (1e-7, "1e-07"),
            (1e21, "1e+21"), (9_007_199_254_740_993.0, "9007199254740992"), (1.0 / 3, "0.3333333333333333"),
        ])
    func numbers(number: Double, text: String) throws {
        #expect(json({ $0.number(number) }) == text)
        var parser = JSONParser()
        #expect(try parser.value("[\(text)]") == .array([.number(text)]))
        #expect(Double(text) == number)
    }

    @Test("fractions are written as Swift writes them, those of few digits and their neighbours")
    func fractions() {
        var generator = SplitMix64(seed: 7)
        for _ in 0..<20_000 {
            let whole = Int.random(
                in: 0...[0, 1, 99, 180, 999_999_999].randomElement(using: &generator)!, using: &generator)
            let places = Int.random(in: 1...7, using: &generator)
            let digits = Int.random(
                in: 0..<[1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000][places], using: &generator)
            let fraction = String(repeating: "0", count: places - String(digits).count) + String(digits)
            let sign = Bool.random(using: &generator) ? "-" : ""
            guard let number = Double("\(sign)\(whole).\(fraction)") else { continue }
            for number in [number, number.nextUp, number.nextDown] where number != number.rounded() {
                #expect(json { $0.number(number) } == number.description)
            }
        }
    }

    @Test("any document is written as it was read")
    func roundTrip() throws {
        var generator = SplitMix64(seed: 7)
        var parser = JSONParser()
        for _ in 0..<2_000 {
            let document = ParameterValue.array([.init(random: &generator, depth: 4)])
            let text = json { $0.value(document) }
            #expect(try parser.value(text) == document)
        }
    }
}

extension ParameterValue {
    fileprivate init(random generator: inout SplitMix64, depth: Int) {
        let count = Int.random(in: 0...4, using: &generator)
        switch Int.random(in: 0..<(depth == 0 ? 4 : 6), using: &generator) {
        case 0: self = .null
        case 1: self = .bool(Bool.random(using: &generator))
        case 2: self = .number(["0", "-12", "3.50", "1E9", "99999999999999999999"].randomElement(using: &generator)!)
        case 3: self = .string(generator.text())
        case 4: self = .array((0..<count).map { _ in ParameterValue(random: &generator, depth: depth - 1) })
        default:
            self = .object(
                Parameters(
                    (0..<count).map { _ in
                        .init(key: generator.text(), value: ParameterValue(random: &generator, depth: depth - 1))
                    }))
        }
    }
}
