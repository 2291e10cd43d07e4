/// What is wrong with the words of a command, in a sentence that names the wrong one.
struct UsageProblem: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }

    static func unknownOption(_ name: String, among names: [String]) -> UsageProblem {
        UsageProblem("Unknown option '\(name)'.\(question(name, names))")
    }

    /// An unknown letter of `word`, which perhaps lacks its second hyphen.
    static func unknownOption(_ word: String, letter name: String, among names: [String]) -> UsageProblem {
        let long = "-\(word.prefix { $0 != "=" })"
        return UsageProblem("Unknown option '\(name)'.\(names.contains(long) ? " Did you mean '\(long)'?" : "")")
    }

    static func invalid(_ word: String, for usage: String, reason: String?, candidates: [String]) -> UsageProblem {
        let reason = reason.map { ": \($0)" } ?? ""
        return UsageProblem("The value '\(word)' is invalid for '\(usage)'\(reason).\(question(word, candidates))")
    }

    /// Asks whether the nearest candidate was meant; where none is near, lists `all`.
    static func question(_ word: String, _ candidates: [String], else all: [String] = []) -> String {
        if let nearest = EditDistance.nearest(to: word, among: candidates) {
            return " Did you mean '\(nearest)'?"
        }
        return all.isEmpty ? "" : " There are \(all.joined(separator: ", "))."
    }
}
