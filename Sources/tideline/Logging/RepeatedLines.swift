/// Decides which lines of a log are written and which only repeat one that was: of each kind one at first, then, while
/// it goes on, their number after 1 s, 2 s, 4 s and so on, at most every minute, and once when it has ended.
///
/// Lines are of one kind if they differ in numbers only. Beyond 64 kinds at once all others are one kind.
struct RepeatedLines {
    /// The lines of one kind that were not written.
    struct Withheld: Equatable {
        /// The latest of them.
        var line: String
        var level: Int
        var count: Int
        /// The time since the first line, which was written.
        var lasted: Duration
    }

    private struct Kind {
        var since: Duration
        var latest: Duration
        var line: String
        var level: Int
        var count = 0
        var tellAt: Duration
        var interval = Duration.seconds(1)
    }

    /// In the order of their first lines.
    private var kinds: [(key: String, kind: Kind)] = []

    private static let intervalMax = Duration.seconds(60)
    /// A kind has ended when none of it came for so long.
    private static let quiet = Duration.seconds(5)
    private static let kindsMax = 64
    /// The kind of all lines beyond them.
    private static let others = "others"

    /// Takes a line in.
    ///
    /// - Parameter facility: the source of the line, which is part of its kind.
    /// - Returns: true if it is to be written.
    mutating func take(_ line: String, level: Int, facility: String, now: Duration) -> Bool {
        var key = facility + " " + Self.withoutNumbers(line)
        if kinds.count >= Self.kindsMax && !kinds.contains(where: { $0.key == key }) { key = Self.others }
        if let index = kinds.firstIndex(where: { $0.key == key }) {
            kinds[index].kind.latest = now
            kinds[index].kind.line = line
            kinds[index].kind.count += 1
            return false
        }
        kinds.append((key, Kind(since: now, latest: now, line: line, level: level, tellAt: now + .seconds(1))))
        return true
    }

    /// Returns what is to be said now of lines that were not written, and forgets the kinds that have ended.
    ///
    /// - Parameter now: `nil` means that nothing more comes.
    mutating func due(now: Duration?) -> [Withheld] {
        var due: [Withheld] = []
        for index in kinds.indices {
            let kind = kinds[index].kind
            let isDue = now.map { $0 >= kind.tellAt } ?? true
            guard kind.count > 0, isDue else { continue }
            due.append(
                Withheld(line: kind.line, level: kind.level, count: kind.count, lasted: kind.latest - kind.since))
            kinds[index].kind.count = 0
            kinds[index].kind.interval = min(kind.interval * 2, Self.intervalMax)
            kinds[index].kind.tellAt = (now ?? kind.latest) + kinds[index].kind.interval
        }
        guard let now else {
            kinds = []
            return due
        }
        kinds.removeAll { $0.kind.count == 0 && now - $0.kind.latest >= Self.quiet }
        return due
    }

    /// The line with `#` in place of each word that is a number, with or without a unit.
    static func withoutNumbers(_ line: String) -> String {
        line.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let core = word.drop { "(-+".contains($0) }
            let digits = core.prefix { $0.isNumber || ".,".contains($0) }
            let rest = core.dropFirst(digits.count)
            let isNumber = !digits.isEmpty && (["", "ms", "s", "ms)", "s)", ")", "):"].contains(String(rest)))
            return isNumber ? "#" : String(word)
        }.joined(separator: " ")
    }
}
