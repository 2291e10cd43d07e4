import Foundation

/// Takes out of a text what differs from run to run, so that the page stays the same.
struct RunbookMask {
    private let names: [(String, String)]

    init(_ application: Application) {
        // Internal topics begin with the name of the application, all others with the prefix.
        let own = ["exchange", "state", "reset", "pushes", "operations"]
        let topics = own.map { ("\(application.name).\($0)", "tideline.\($0)") }
        // Where a sink writes files, which is below that folder.
        let folder = ("\(application.directory.path)/", "")
        names =
            [folder] + topics + [
                (" --topic-prefix \(application.prefix)", ""), (application.prefix, ""), (application.name, "tideline"),
                (application.bootstrap, "localhost:9092"),
            ]
    }

    /// A line of the log, without its instant.
    func line(_ text: String) -> String {
        self.text(text.replacing(#/^\d{4}-\d\d-\d\dT\S+ +/#, with: "")).replacing(#/=\d+\b/#, with: "=…")
    }

    func text(_ text: String) -> String {
        names.reduce(text) { $0.replacing($1.0, with: $1.1) }
            .replacing(/\d{4}-\d\d-\d\dT[\d:.]+Z/, with: "…")
            .replacing(/127\.0\.0\.1:\d+/, with: "127.0.0.1:9464")
            .replacing(/webhook-[0-9a-f]{16}/, with: "webhook-…")
            .replacing(#/does not answer: localhost.* → /#, with: "does not answer: … → ")
            .replacing(#/cannot reach broker: .*; trying/#, with: "cannot reach broker: …; trying")
            .replacing(#/ withheldLines=\S+/#, with: "")
            .replacing(#/ error=[A-Z_]+/#, with: " error=…")
            .replacing(#/5 times, last: .*/#, with: "5 times, last: …")
            .replacing(#/ \(state: [a-z ]+\)/#, with: " (state: …)")
            .replacing(#/ is refused by brokers: .*/#, with: " is refused by brokers: …")
            // Markers of transactions count among them.
            .replacing(#/\d+ records? not written/#, with: "… records not written")
            .replacing(#/tasks 2 running .*/#, with: "tasks 2 running …")
            .replacing(/\b\d+(\.\d+)? (ms|s|min)\b/) { "… \($0.2)" }
            .replacing(/(broker|retryInMs=|brokers\/|localhost:9092\/)\d+/) { "\($0.1)…" }
    }
}
