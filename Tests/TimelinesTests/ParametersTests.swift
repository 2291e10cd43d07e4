import Testing
import Timelines

@Suite("Parameters")
struct ParametersTests {
    @Test("keys ascend by their bytes, and the last member of a key counts, in whatever order they come")
    func order() {
        let members = [("b", 1), ("a", 2), ("e\u{301}", 3), ("b", 4), ("\u{e9}", 5), ("a", 6)]
        let parameters = Parameters(members.map { .init(key: $0.0, value: .number("\($0.1)")) })
        #expect(parameters.members.map(\.key.utf8.count) == [1, 1, 3, 2])
        #expect(parameters.members.map(\.value) == [.number("6"), .number("4"), .number("3"), .number("5")])
    }

    @Test("an object of very many keys in descending order is read like any other")
    func manyKeys() {
        let keys = (100_000..<300_000).map(String.init)
        let parameters = Parameters(keys.reversed().map { .init(key: $0, value: .bool(true)) })
        #expect(parameters.members.map(\.key) == keys)
    }

    @Test("own members win over defaults")
    func defaults() {
        let own = Parameters([.init(key: "b", value: .string("own"))])
        let defaults = Parameters([.init(key: "a", value: .string("a")), .init(key: "b", value: .string("b"))])
        #expect(own.merged(over: defaults).members.map(\.value) == [.string("a"), .string("own")])
        #expect(own.merged(over: Parameters()) == own)
        #expect(Parameters().merged(over: defaults) == defaults)
    }
}
