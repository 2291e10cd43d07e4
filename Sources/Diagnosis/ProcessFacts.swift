/// What a process answers that was asked for its health.
package struct ProcessFacts: Hashable, Sendable {
    /// Where its metrics and its health are.
    package var address: String
    package var answer: Answer

    package enum Answer: Hashable, Sendable {
        /// It is ready, if the list is empty.
        case problems([Problem])
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

    package init(address: String, answer: Answer) {
        self.address = address
        self.answer = answer
    }

    package var findings: [Finding] {
        switch answer {
        case .problems([]): [Finding(.processes, address, .good, "is ready")]
        case .problems(let problems):
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

    private static func remedy(_ part: String) -> String {
        switch part {
        case "target": "Mend the folder or the server; the sink tries again by itself, and nothing is lost"
        case "brokers": "Start the broker again; the process goes on by itself"
        case "loop": "End it with SIGKILL, and start it again"
        case "startup", "restore", "ending": "Wait; if it stays so, look at its log"
        default: "See what is found below, and its log"
        }
    }
}
