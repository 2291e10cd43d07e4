/// What a process answers that was asked for its health.
package struct ProcessFacts: Hashable, Sendable {
    /// Where its metrics and its health are.
    package var address: String
    package var answer: Answer
    /// What somebody should look at although the process is well.
    package var notices: [Problem]

    package enum Answer: Hashable, Sendable {
        /// It is ready, if the list is empty.
        ///
        /// - Parameter zoneData: the version of its zone database; `nil` from a release that does not tell it.
        case answered([Problem], zoneData: String?)
        case failed(String)
    }

    /// A part that is unwell, and why.
    package struct Problem: Hashable, Sendable, Decodable {
        package var part: String
        package var reason: String

        package init(part: String, reason: String) {
            self.part = part
            self.reason = reason
        }
    }

    package init(address: String, answer: Answer, notices: [Problem] = []) {
        self.address = address
        self.answer = answer
        self.notices = notices
    }

    package var findings: [Finding] {
        states
            + notices.map { notice in
                Finding(
                    .processes, address, .notice, "\(notice.part): \(notice.reason)", remedy: Self.remedy(notice.part))
            }
    }

    /// The tasks that it restores, and whose restore moves, as its sentences about them say.
    package var restoredTasks: Set<Int32> {
        guard case .answered(let problems, _) = answer else { return [] }
        return Set(
            problems.filter { $0.part == "restore" && !$0.reason.contains("stood still") }.compactMap {
                problem -> Int32? in
                let words = problem.reason.split(separator: " ")
                guard words.count > 3, words[0] == "task", words[2] == "is", words[3].hasPrefix("restored") else {
                    return nil
                }
                return Int32(words[1])
            })
    }

    private var states: [Finding] {
        switch answer {
        case .answered([], _): [Finding(.processes, address, .good, "is ready")]
        case .answered(let problems, _):
            problems.map { problem in
                Finding(
                    .processes, address, .bad, "\(problem.part): \(problem.reason)", remedy: Self.remedy(problem.part))
            }
        case .failed(let reason):
            [
                Finding(
                    .processes, address, .bad, "does not answer: \(reason)",
                    remedy: "Look at the last lines of its log. If it runs, it hangs: end it with SIGKILL, and start it"
                        + " again")
            ]
        }
    }

    /// The version of its zone database against that of the program that asks.
    ///
    /// - Parameter command: makes a whole command line of a verb with its words.
    /// - Returns: `nil` if it does not answer.
    package func zoneFinding(here: String, command: (String) -> String) -> Finding? {
        guard case .answered(_, let zoneData) = answer else { return nil }
        guard let zoneData else {
            return Finding(.zones, address, .notice, "does not tell its version: it is of an earlier release")
        }
        guard zoneData != here else {
            return Finding(.zones, address, .good, "has version \(zoneData), as this program")
        }
        return Finding(
            .zones, address, .bad,
            "has version \(zoneData), and this program \(here): where rules of a zone differ, so do dates of entries",
            remedy: "Run the same release everywhere. If dates have to be made anew, stop all processes, then"
                + " \(command("reset --execute"))")
    }

    private static func remedy(_ part: String) -> String {
        switch part {
        case "target":
            "Mend the folder or the server: the sink tries again by itself, and what waits is not lost. What was"
                + " refused before is a dead letter: 'dead-letters replay' puts it back once the target is mended"
        case "sink": "Mend what the reason names: the sink begins again by itself, unless another one took its place"
        case "brokers": "Start the broker again; the process goes on by itself"
        case "commits":
            "See what is found of brokers, topics and permissions; where that is nothing, end it with SIGKILL, and"
                + " start it again"
        case "dead-letters": "Mend what sends them, or the target; then 'dead-letters replay' or 'dead-letters drop'"
        case "loop": "End it with SIGKILL, and start it again"
        case "startup", "restore", "ending": "Wait; if it stays so, look at its log"
        default: "See what is found below, and its log"
        }
    }
}
