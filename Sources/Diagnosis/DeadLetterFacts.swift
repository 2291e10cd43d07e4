/// The dead letters with which nobody has done anything yet.
package struct DeadLetterFacts: Hashable, Sendable {
    package var topic: String
    package var waiting: Waiting

    package enum Waiting: Hashable, Sendable {
        /// So many, and a sentence that counts them by reason.
        case counted(Int, String)
        /// The topic has so many offsets that they were not read.
        case unread(Int64)
        /// It cannot be told.
        case failed(String)
    }

    package init(topic: String, waiting: Waiting) {
        self.topic = topic
        self.waiting = waiting
    }

    /// - Parameter command: makes a whole command line of a verb with its words.
    package func finding(command: (String) -> String) -> Finding {
        switch waiting {
        case .failed(let reason): return Finding(.deadLetters, topic, .notice, "cannot be told: \(reason)")
        case .counted(0, _): return Finding(.deadLetters, topic, .good, "none waits")
        case .unread(let offsets):
            return Finding(
                .deadLetters, topic, .notice, "\(offsets.counted("record")), too many to read them here",
                remedy: command("dead-letters list --counts"))
        case .counted(let count, let sentence):
            return Finding(
                .deadLetters, topic, .bad,
                "\(count.counted("dead letter")) \(count == 1 ? "waits" : "wait"): \(sentence)",
                remedy: "'dead-letters list' names what is wrong with each; once the cause is mended, put them back"
                    + " with 'dead-letters replay', or set them aside: \(command("dead-letters drop --all"))")
        }
    }
}
