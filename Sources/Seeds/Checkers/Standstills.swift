package import RecordLog

/// How often and how long readers stood still before open transactions, by the bound that judged it.
package struct Standstills: Hashable, Sendable {
    /// Those that one bound judged.
    package struct Tally: Hashable, Sendable {
        package fileprivate(set) var count = 0
        package fileprivate(set) var longest = ElapsedTime.zero

        fileprivate mutating func add(_ other: Tally) {
            count += other.count
            longest = max(longest, other.longest)
        }
    }

    /// A session and two seconds.
    package private(set) var strict = Tally()
    /// As long as a transaction may last before the coordinator ends it, and that.
    package private(set) var wide = Tally()

    package init() {}

    mutating func note(_ duration: ElapsedTime, isWide: Bool) {
        let one = Tally(count: 1, longest: duration)
        if isWide { wide.add(one) } else { strict.add(one) }
    }

    package mutating func add(_ other: Standstills) {
        strict.add(other.strict)
        wide.add(other.wide)
    }

    // MARK: - Texts

    /// Counts and milliseconds, for `init(text:)`.
    package var text: String { [strict, wide].map { "\($0.count) \($0.longest.milliseconds)" }.joined(separator: " ") }

    /// Reads what `text` wrote; none if it is anything else.
    package init(text: some StringProtocol) {
        let numbers = text.split(separator: " ").compactMap { Int64($0) }
        guard numbers.count == 4 else { return }
        strict = Tally(count: Int(numbers[0]), longest: ElapsedTime(milliseconds: numbers[1]))
        wide = Tally(count: Int(numbers[2]), longest: ElapsedTime(milliseconds: numbers[3]))
    }

    /// A line for people.
    package var line: String {
        func said(_ tally: Tally) -> String {
            "\(tally.count), the longest \(Double(tally.longest.milliseconds) / 1000) s"
        }
        return "readers stood still: by the strict bound \(said(strict)); by the wide one \(said(wide))"
    }
}
