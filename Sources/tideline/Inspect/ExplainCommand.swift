import Arguments
import Foundation
import Inspection
import Messages
import RecordLog
import Timelines

/// Explains the newest timeline of a configuration from committed records.
struct ExplainCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Says why a configuration shows what it shows, and what comes next.",
        discussion: """
            Why this entry, this status and this date, why a reload was sent or not, and what comes next: sentences, \
            each with the rules of Documentation/Rules that it follows from and the records that show it, by topic, \
            partition and offset. All of it comes from committed records: the configuration, its timelines and \
            reloads, and the inputs that they name. What these no longer tell is said to be unknown.

            On a terminal it writes lines, elsewhere a JSON object for each sentence.
            """,
        examples: [
            CommandExample("tideline explain my-van", "The entry in force now."),
            CommandExample(
                "tideline explain my-wall --at 2026-11-21T09:30:00Z --json | jq -r '.rules[]'", "At another instant."),
        ])

    @Argument(help: ArgumentHelp("The configuration.", valueName: "id")) var id: String
    @Option(
        help: ArgumentHelp(
            "The instant that is asked about, not before the newest timeline was made; now.", valueName: "time"))
    var at: InstantArgument?
    @Option(help: ArgumentHelp("An entry by its id; the one in force.", valueName: "id")) var entry: String?
    @OptionGroup var output: InspectOptions
    @OptionGroup var kafka: KafkaOptions

    func execute() throws(CommandFailure) {
        let environment = try Environment(kafka)
        let reading = ExplainReading(id, environment)
        var facts = try reading.facts(at: at?.instant ?? .now())
        guard facts.newest != nil else { return try explainAbsence(facts, reading.ids) }
        if at == nil, let made = facts.newest?.value.generatedAt { facts.at = max(facts.at, made) }
        let explanation: Explanation
        do throws(Explanation.Refusal) {
            explanation = try Explanation(facts, entryId: entry)
        } catch {
            throw CommandFailure(.usage, "\(error)")
        }
        var parser = JSONParser()
        write(explanation.reasons(with: &parser))
    }

    /// Says why there is no timeline.
    private func explainAbsence(_ facts: ExplainedFacts, _ ids: [String]) throws(CommandFailure) {
        var reasons = Explanation.configurationReasons(facts)
        guard !reasons.isEmpty else { throw CommandFailure(.usage, NearIds.unknown("configuration", id, among: ids)) }
        if facts.configuration != nil {
            reasons.append(
                Reason(
                    .timeline,
                    "it has no timeline yet: 'tideline process' does not run, has not come to the record, or"
                        + " waits for an answer of a source", rules: ["T12"]))
        }
        write(reasons)
    }

    private func write(_ reasons: [Reason]) {
        if output.isJSON {
            var json = JSONWriter()
            for reason in reasons {
                reason.write(to: &json)
                json.newline()
            }
            _ = json.withUnsafeBytes(StandardOutput.write)
            return
        }
        let pairs = reasons.enumerated().map { index, reason in
            let isNew = index == 0 || reasons[index - 1].about != reason.about
            let places = reason.sources.map(\.text).joined(separator: ", ")
            let from = places.isEmpty ? "" : " ← \(places)"
            return (
                name: isNew ? reason.about.rawValue : "",
                text: "\(reason.text) [\(reason.rules.joined(separator: ", "))]\(from)"
            )
        }
        _ = StandardOutput.write(NamedLines(pairs).lines)
    }
}
