import Arguments
import Foundation
import Inspection
import Messages
import RecordLog
import Settings
import Timelines

/// Lists what the topics hold: configurations, vehicles, calendars or recipients.
struct ListCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the configurations, vehicles, calendars or recipients that the topics hold.",
        discussion: """
            Reads the topics themselves, committed records only, and needs no running pipeline. On a terminal it \
            writes columns, elsewhere a JSON object for each row; both ascend by id. Push tokens are masked. A vehicle \
            is listed while the topic of telemetry still holds a record of it.

            Each '--where FIELD=VALUE' is a condition that a row must meet; FIELD is a key of the JSON. A '*' at the \
            end of VALUE stands for any text, an empty VALUE for a field that is absent. Of a list one element must \
            meet it.

            A record that cannot be read is passed over: standard error says how many there are, and which is the first.
            """,
        examples: [
            CommandExample("tideline list configurations --where kind=Bus --where phase=stale", "What shows old data."),
            CommandExample("tideline list vehicles --where status=Offline | jq -r .vehicleId", "For a script."),
        ])

    @Argument(help: ArgumentHelp("What is listed.", valueName: "what")) var what: Listed
    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("Only rows with this value of a field; may be repeated.", valueName: "field=value"))
    var conditions: [RowCondition] = []
    @OptionGroup var output: InspectOptions
    @OptionGroup var kafka: KafkaOptions

    enum Listed: String, CaseIterable, ExpressibleByArgument {
        case configurations, vehicles, calendars, recipients

        fileprivate var fields: [String] {
            switch self {
            case .configurations: ConfigurationList.fields
            case .vehicles: VehicleList.fields
            case .calendars: CalendarList.fields
            case .recipients: RecipientList.fields
            }
        }

        /// The columns of a terminal: all but those that say where the record is, and some more of configurations.
        fileprivate var columns: [String] {
            let left: Set = ["topic", "partition", "offset", "family", "timeZone", "late", "budget"]
            return fields.filter { !left.contains($0) }
        }
    }

    func execute() throws(CommandFailure) {
        let filter: RowFilter
        do throws(RowFilter.UnknownField) {
            filter = try RowFilter(conditions.map(\.condition), fields: what.fields)
        } catch {
            throw error.failure
        }
        let environment = try Environment(kafka)
        let admin = try environment.connect()
        try environment.require(topicsRead(environment.topics), admin)
        admin.close()
        let all = try rows(environment)
        let rows = all.filter(filter.accepts)
        output.write(rows, columns: what.columns)
        if rows.isEmpty {
            let reason = all.isEmpty ? "the topics hold none" : "none of \(all.count) meets every condition"
            writeError("no \(what.rawValue): \(reason)")
        }
    }

    private func topicsRead(_ topics: TopicNames) -> [String] {
        switch what {
        case .configurations: [topics.configurations, topics.timelines]
        case .vehicles: [topics.configurations, topics.telemetry]
        case .calendars: [topics.configurations, topics.calendarEvents]
        case .recipients: [topics.configurations, topics.reloads]
        }
    }

    private func rows(_ environment: Environment) throws(CommandFailure) -> [InspectedRow] {
        let topics = environment.topics
        let configurations = try environment.configurationsRead(withTimelines: what == .configurations)
        environment.warn(of: configurations.list.unread)
        switch what {
        case .configurations:
            return configurations.list.rows(at: .now())
        case .vehicles:
            var vehicles = VehicleList(future: environment.settings[Keys.telemetryFuture].map { ElapsedTime($0) })
            try environment.readRecords(of: topics.telemetry) { view, _ in vehicles.apply(view, of: topics.telemetry) }
            environment.warn(of: vehicles.unread)
            vehicles.count(configurations.list)
            return vehicles.rows()
        case .calendars:
            var calendars = CalendarList()
            try environment.readRecords(of: topics.calendarEvents) { view, batch in
                let type = batch.headers(of: view).last { $0.name == "content-type" }?.value
                calendars.apply(
                    view, of: topics.calendarEvents, contentType: type.map { String(decoding: $0, as: UTF8.self) })
            }
            environment.warn(of: calendars.unread)
            calendars.count(configurations.list)
            return calendars.rows()
        case .recipients:
            var recipients = RecipientList()
            try environment.readRecords(of: topics.reloads) { view, _ in recipients.apply(view, of: topics.reloads) }
            environment.warn(of: recipients.unread)
            recipients.count(configurations.list)
            return recipients.rows()
        }
    }
}

/// A condition as it is written behind `--where`.
struct RowCondition: ExpressibleByArgument {
    let condition: RowFilter.Condition

    init?(argument: String) {
        guard let pair = KeyValueArgument(argument: argument) else { return nil }
        condition = RowFilter.Condition(field: pair.key, value: pair.value)
    }

    static let allowedDescription: String? = "FIELD=VALUE, such as kind=Bus"
}

/// A list that closures fill.
final class ConfigurationListBox {
    var list: ConfigurationList

    init(kinds: WidgetKinds) {
        list = ConfigurationList(kinds: kinds)
    }
}
