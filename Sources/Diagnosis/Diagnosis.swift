// Diagnosis: what is wrong with an application and its cluster, and what is to be done about it.
//
// It must not know a broker, a clock or a terminal. Everything here is pure: facts that somebody has collected go in,
// findings come out. The verb `doctor` collects the facts and prints the findings.
//
// Begin with `Finding`. Each other file has the facts of one check, and what follows from them as their `findings`.

/// What a check has found: one line for people, one JSON object for machines.
package struct Finding: Hashable, Sendable {
    package var check: Check
    /// What was looked at: a topic, a partition, a broker, a permission.
    package var subject: String
    package var level: Level
    /// What was found, in words.
    package var text: String
    /// What is to be done, a sentence or a command; empty if nothing is.
    package var remedy: String

    package init(_ check: Check, _ subject: String, _ level: Level, _ text: String, remedy: String = "") {
        self.check = check
        self.subject = subject
        self.level = level
        self.text = text
        self.remedy = remedy
    }

    /// The areas, in the order in which they are looked at. The raw values are part of the JSON.
    package enum Check: String, CaseIterable, Sendable {
        case brokers
        case processes
        case topics
        case permissions
        case clock
        case zones
        case members
        case lag
        case transactions
        case writers
        case state
        case sinks
        case deadLetters = "dead-letters"
    }

    package enum Level: String, Sendable {
        /// As it should be.
        case good = "ok"
        /// Nothing is broken, but somebody should know; or it cannot be told.
        case notice = "notice"
        /// Something does not work.
        case bad = "failure"

        /// The sign at the beginning of a line.
        package var sign: String {
            switch self {
            case .good: "✓"
            case .notice: "!"
            case .bad: "✗"
            }
        }
    }
}
