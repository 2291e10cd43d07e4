import TestSupport
import Testing
import Timelines

@testable import Gateway

@Suite("Keys in order, and JSON by place")
struct SortedKeysTests {
    @Test("any insertions and removals leave the keys that are there, in order, each once", arguments: [1, 2, 3])
    func keys(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var sorted = SortedKeys()
        var model: Set<String> = []
        for _ in 0..<20_000 {
            let key = "k\(Int.random(in: 0..<3000, using: &random))"
            if Int.random(in: 0..<5, using: &random) < 3 {
                sorted.insert(TextKey(key))
                model.insert(key)
            } else {
                sorted.remove(TextKey(key))
                model.remove(key)
            }
        }
        let expected = model.sorted { TextKey($0) < TextKey($1) }
        func keys(after start: String?) -> [String] {
            var found: [String] = []
            sorted.forEach(after: start.map { TextKey($0) }) { key in
                found.append(key.text)
                return true
            }
            return found
        }
        #expect(keys(after: nil) == expected && sorted.count == expected.count)
        for start in ["", "k", "k15", "k2999", "zz"] {
            #expect(keys(after: start) == expected.filter { TextKey(start) < TextKey($0) })
        }
    }

    @Test(
        "what is no JSON is refused",
        arguments: [
            "", " ", "{", "}", "[1,]", "{\"a\":}", "{\"a\" 1}", "{a:1}", "01", "1.", "-", "+1", "1e", "tru", "nul",
            "\"", "\"\\x\"",
            "\"\\u12\"", "\"\u{1}\"", "1 2", "[1 2]", "{\"a\":1,}", "NaN", "\u{feff}{}",
        ])
    func invalid(text: String) {
        #expect(Array(text.utf8).withUnsafeBytes { JSONText(validating: $0) == nil })
        let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        #expect(Array(deep.utf8).withUnsafeBytes { JSONText(validating: $0) == nil })
        #expect([0x22, 0xff, 0x22].map { UInt8($0) }.withUnsafeBytes { JSONText(validating: $0) == nil })
    }

    @Test("values are found by their place, and texts are read with their escapes")
    func places() throws {
        let text = #" { "a" : [ 1 , -2.5e+3, true,null, "x\"y" ] , "b\u0062":{"c":"\ud83d\ude00\n\ud800é"}, "a2":0} "#
        try Array(text.utf8).withUnsafeBytes { bytes in
            let json = try #require(JSONText(validating: bytes))
            #expect(json.members(of: json.whole).map(\.key) == ["a", "bb", "a2"])
            let list = try #require(json.member("a", of: json.whole))
            let elements = json.elements(of: list).map { String(decoding: json.slice($0), as: UTF8.self) }
            #expect(elements == ["1", "-2.5e+3", "true", "null", #""x\"y""#])
            let inner = try #require(json.member("bb", of: json.whole))
            let place = try #require(json.member("c", of: inner))
            #expect(json.text(at: place) == "😀\n\u{fffd}é")
            #expect(json.integer(at: try #require(json.member("a2", of: json.whole))) == 0)
        }
    }
}
