package import Simulation
import StreamRuntime

/// How often each kind of fault happened, by name: the world's misfortunes, then the cluster's faults and what followed
/// from them; and how often stream threads went each step from state to state.
package struct FaultTable: Sendable, Hashable {
    package private(set) var counts: [String: Int] = [:]

    /// All names, in the order of the table.
    package static let names = Misfortune.allCases.map(\.rawValue) + FaultKind.allCases.map(\.rawValue)

    /// The steps of stream threads, in the order of DESIGN.md's table.
    package static let steps = StreamStatus.steps

    private static let known = names + steps

    package init() {}

    package subscript(kind: Misfortune) -> Int { counts[kind.rawValue, default: 0] }
    package subscript(kind: FaultKind) -> Int { counts[kind.rawValue, default: 0] }
    package subscript(name: String) -> Int { counts[name, default: 0] }

    package mutating func note(_ kind: Misfortune, times: Int = 1) {
        if times > 0 { counts[kind.rawValue, default: 0] += times }
    }

    package mutating func note(_ kind: FaultKind, times: Int) {
        if times > 0 { counts[kind.rawValue, default: 0] += times }
    }

    package mutating func note(steps counts: [Int]) {
        for (name, count) in zip(Self.steps, counts) where count > 0 { self.counts[name, default: 0] += count }
    }

    package mutating func add(_ other: FaultTable) {
        for (name, count) in other.counts { counts[name, default: 0] += count }
    }

    /// All faults together.
    package var total: Int { Self.names.reduce(0) { $0 + self[$1] } }

    /// `name=count`, in the order of the table, without those that never happened.
    package var text: String {
        Self.known.filter { self[$0] > 0 }.map { "\($0)=\(self[$0])" }.joined(separator: ", ")
    }

    /// Reads what `text` wrote; an unknown name is passed over.
    package init(text: some StringProtocol) {
        for word in text.split(separator: ",") {
            let parts = word.drop { $0 == " " }.split(separator: "=")
            guard parts.count == 2, let count = Int(parts[1]), Self.known.contains(String(parts[0])) else { continue }
            counts[String(parts[0]), default: 0] += count
        }
    }
}
