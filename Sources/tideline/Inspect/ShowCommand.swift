import Arguments
import Foundation
import Inspection
import Messages
import Observability
import RecordLog
import Timelines

/// Shows the timeline of a configuration as it stands, or follows it.
struct ShowCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows the timeline of a configuration: now, next, countdown, budget, sources.",
        discussion: """
            Reads the topics themselves, committed records only, and needs no running pipeline. On a terminal it \
            draws a card with the entries and sources below it; elsewhere it writes one JSON object. With --watch a \
            terminal shows the card as time passes until Ctrl-C; elsewhere each timeline is a line as soon as it is \
            committed. The budget is that of when the timeline was made. Push tokens and secrets are masked.
            """,
        examples: [
            CommandExample("tideline show my-van", "The card."),
            CommandExample("tideline show my-van --watch --json | jq .now.phase", "Each phase as it comes."),
        ])

    @Argument(help: ArgumentHelp("The configuration.", valueName: "id")) var id: String
    @Flag(help: "Goes on, and shows each new timeline.") var watch = false
    @OptionGroup var output: InspectOptions
    @OptionGroup var kafka: KafkaOptions

    func execute() throws(CommandFailure) {
        let environment = try Environment(kafka)
        let admin = try environment.connect()
        defer { admin.close() }
        try environment.require(
            [environment.topics.configurations, environment.topics.timelines, environment.topics.reloads], admin)
        let follower = try TimelineFollower(id, environment, admin)
        defer { follower.close() }
        try follower.catchUp()
        guard let shown = follower.shown else { throw try absent(follower.ids, follower.tombstone, environment) }
        guard watch else { return write(shown) }
        try follow(follower, shown)
    }

    /// Why there is nothing to show: the configuration was deleted, waits, or does not exist.
    private func absent(
        _ timelines: [String], _ tombstone: SourceOffset?, _ environment: Environment
    ) throws(CommandFailure) -> CommandFailure {
        let known = try environment.configurationsRead(withTimelines: false)
        var ids: [String] = []
        known.list.forEach { message, _ in ids.append(message.configurationId) }
        if ids.contains(where: { $0.isSameByUTF8(as: id) }) {
            return CommandFailure(
                .usage,
                "the configuration '\(id)' has no timeline yet: 'tideline process' has not made one, as it does not run"
                    + " or waits for a source; 'tideline explain \(id)' says more")
        }
        if let tombstone {
            return CommandFailure(
                .usage, "the configuration '\(id)' was deleted; the end of its timelines is \(tombstone.text)")
        }
        return CommandFailure(.usage, NearIds.unknown("configuration", id, among: ids + timelines))
    }

    private func write(_ shown: ShownTimeline) {
        guard output.isJSON else {
            _ = StandardOutput.write(TimelineSheet(shown, at: .now(), style: .ofStandardOutput).lines)
            return
        }
        var json = JSONWriter()
        shown.write(to: &json, at: .now())
        json.newline()
        _ = json.withUnsafeBytes(StandardOutput.write)
    }

    // MARK: - Following

    private func follow(_ follower: TimelineFollower, _ first: ShownTimeline) throws(CommandFailure) {
        if output.isJSON || Terminal.canvas == nil { return try followAsLines(follower, first) }
        let screen = BoardScreen(title: id, subtitle: "from \(first.place.topic)", hint: "Ctrl-C ends the look")
        defer { screen.close() }
        screen.add(first.record)
        if let reload = first.reload { screen.add(reload.reload) }
        var last = first
        while !Signals.isStopRequested {
            try follower.poll()
            if let shown = follower.shown {
                if shown.place != last.place { screen.add(shown.record) }
                if let reload = shown.reload, reload != last.reload { screen.add(reload.reload) }
                last = shown
            } else {
                screen.remove(id)
            }
            screen.draw()
        }
    }

    private func followAsLines(_ follower: TimelineFollower, _ first: ShownTimeline) throws(CommandFailure) {
        write(first)
        var last: SourceOffset? = first.place
        while !Signals.isStopRequested {
            try follower.poll()
            guard let shown = follower.shown else {
                if last != nil { writeError("the configuration '\(id)' was deleted; waiting for it to come back") }
                last = nil
                continue
            }
            if shown.place != last { write(shown) }
            last = shown.place
        }
    }
}
