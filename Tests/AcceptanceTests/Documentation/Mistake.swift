import Foundation
import TestSupport

/// A mistake on the command line, in settings or in files, with the call of the program that makes it.
struct Mistake: Sendable {
    /// A few words for people.
    var title: String
    /// The words after `tideline`.
    var words: [String]
    var environment: [String: String] = [:]
    /// The files that lie in the folder, by name.
    var files: [String: String] = [:]
    var status: Int32 = 64
    /// True if the call gets the options of an application on a broker that runs.
    var meetsBroker = false

    init(
        _ title: String, _ words: String, environment: [String: String] = [:], files: [String: String] = [:],
        status: Int32 = 64, meetsBroker: Bool = false
    ) {
        self.title = title
        self.words = words.split(separator: " ").map(String.init)
        self.environment = environment
        self.files = files
        self.status = status
        self.meetsBroker = meetsBroker
    }
}

extension Mistake {
    static let ofCommandLine = [
        Mistake("a verb that does not exist", "proces"),
        Mistake("an option that does not exist", "process --until-cought-up"),
        Mistake("an option without its value", "process --clock"),
        Mistake("no verb", ""),
        Mistake("a clock that is no instant", "process --clock yesterday"),
        Mistake("two sources at once", "produce telemetry --fleet 5 --json events.jsonl"),
        Mistake("no source", "produce telemetry"),
        Mistake("a recorded set of an unknown format", "produce telemetry --csv day.csv --format capmetric"),
        Mistake("a rate of nothing", "produce telemetry --fleet 5 --rate 0"),
        Mistake("a sink without a target", "sink"),
        Mistake("a sink to nowhere", "sink --to paper:office"),
        Mistake("a webhook that is no address", "sink --reloads ftp://example.com"),
        Mistake("a range that ends before it begins", "agenda --ics a.ics --from 2026-11-20 --to 2026-11-19"),
        Mistake("no partitions", "topics --partitions 0"),
        Mistake("a row that bench does not have", "bench --rows A,K"),
    ]

    static let ofSettings = [
        Mistake("a setting that does not exist", "process --set comit.interval.ms=5"),
        Mistake("a number out of range", "process --set commit.interval.ms=0"),
        Mistake("a duration that is none", "process --set session.timeout=10s"),
        Mistake("a variable that is no setting", "process", environment: ["TIDELINE_CONECT_TIMEOUT": "PT1S"]),
        Mistake(
            "wrong lines in a settings file", "process --config settings.yaml",
            files: ["settings.yaml": "session:\n  timeout: ten\nbootstrp: kafka:9092\n"]),
        Mistake("a settings file that is not there", "process --config nowhere.yaml"),
        Mistake("settings that contradict each other", "process --set commit.interval.ms=9000"),
        Mistake("a property that librdkafka does not know", "process --set kafka.sesion.timeout.ms=4000"),
        Mistake("a property that Tideline sets itself", "process --set kafka.transactional.id=mine"),
        Mistake("a kind with an unknown family", #"process --set kinds={"Board":{"supportedFamilies":["huge"]}}"#),
        Mistake("pushes without Apple's key", "sink --reloads apns"),
        Mistake(
            "a webhook's secret that is too short", "sink --reloads https://example.com --set webhook.secret=short"),
    ]

    static let ofFiles = [
        Mistake(
            "a comma too many", "produce configurations --json widgets.jsonl",
            files: ["widgets.jsonl": #"{"configurationId": "a", "kind": "Status",}"# + "\n"], status: 65,
            meetsBroker: true),
        Mistake(
            "a file that is not there", "produce configurations --json nowhere.jsonl", status: 65, meetsBroker: true),
        Mistake(
            "an unknown strategy", "produce configurations --json widgets.jsonl",
            files: ["widgets.jsonl": #"{"configurationId": "a", "kind": "Status", "strategy": "sometimes"}"# + "\n"],
            status: 65, meetsBroker: true),
        Mistake(
            "an unknown time zone", "produce configurations --json widgets.jsonl",
            files: ["widgets.jsonl": #"{"configurationId": "a", "kind": "Status", "timeZone": "Berlin"}"# + "\n"],
            status: 65, meetsBroker: true),
        Mistake(
            "a tombstone that is a text", "produce configurations --json widgets.jsonl",
            files: ["widgets.jsonl": #"{"configurationId": "a", "deleted": "yes"}"# + "\n"], status: 65,
            meetsBroker: true),
        Mistake(
            "an array where an object belongs", "produce telemetry --json telemetry.jsonl",
            files: ["telemetry.jsonl": "[1,2]\n"], status: 65, meetsBroker: true),
        Mistake(
            "an event in an unknown zone", "produce calendar --json events.jsonl",
            files: [
                "events.jsonl":
                    #"{"calendarId": "c", "uid": "u", "title": "t", "start": "2026-11-20T09:00", "timeZone": "Moon"}"#
                    + "\n"
            ], status: 65, meetsBroker: true),
        Mistake(
            "a file that is no calendar", "produce calendar --ics team.ics --calendar team",
            files: ["team.ics": "nothing\n"], status: 65, meetsBroker: true),
        Mistake(
            "a recorded set without its columns", "produce telemetry --csv day.csv --format capmetrics",
            files: ["day.csv": "vehicle_id,speed\n1,2\n"], status: 65, meetsBroker: true),
        Mistake(
            "a recorded set with a bad row", "produce telemetry --csv day.csv --format capmetrics",
            files: [
                "day.csv": """
                vehicle_id,timestamp,speed,route_id,trip_id,latitude,longitude,trip_headsign
                1,yesterday,1,1,1,30,-97,x

                """
            ], status: 65, meetsBroker: true),
        Mistake(
            "a preview of a configuration with mistakes",
            "preview --configuration widgets.jsonl --at 2026-11-20T06:25:00Z",
            files: ["widgets.jsonl": #"{"configurationId": "a", "family": "huge"}"# + "\n"], status: 65),
    ]

    static let ofBrokers = [
        Mistake(
            "no broker at that address", "process --bootstrap 127.0.0.1:1 --set connect.timeout=PT1S", status: 69),
        Mistake(
            "a host that does not exist", "process --bootstrap kafka.invalid:9092 --set connect.timeout=PT1S",
            status: 69),
        Mistake("topics that are missing", "process --topic-prefix bare.", status: 69, meetsBroker: true),
        Mistake(
            "a producer's topic that is missing", "produce telemetry --fleet 1 --topic-prefix bare.", status: 69,
            meetsBroker: true),
        Mistake(
            "more replicas than brokers", "topics --replication 3 --topic-prefix bare.", status: 69,
            meetsBroker: true),
        Mistake("topics with other partitions", "topics --partitions 7", status: 0, meetsBroker: true),
        Mistake("a reload of a kind that nobody has", "reload --kind Statsu", meetsBroker: true),
        Mistake(
            "a sink into a file", "sink --to files:taken/out", files: ["taken": "x"], status: 70, meetsBroker: true),
    ]
}
