import Metrics
import TestSupport

@testable import tideline

/// Documentation/Metrics.md, written from the declarations of all metrics and from the alerts.
struct MetricsPage {
    private let alerts: [MonitoringFiles.Alert]

    init(_ alerts: [MonitoringFiles.Alert]) {
        self.alerts = alerts
    }

    static let parts: [(title: String, verbs: String, families: [MetricFamily])] = [
        ("The process", "every verb that runs on", ProcessMetrics.all),
        ("librdkafka", "every verb that runs on", ClientMetrics.all),
        ("The pipeline", "`process`", PipelineMetrics.all),
        ("Sinks", "`sink`", SinkMetrics.all),
        ("The HTTP API", "`serve`", ServeMetrics.all),
        ("Producers", "`produce`", PublicationMetrics.all),
        ("Traces", "`process` and `sink`, where a collector is set", TracingMetrics.all),
    ]

    var markdown: String {
        let tables = Self.parts.map { title, verbs, families in
            "### \(title)\n\nOf \(verbs).\n\n" + Self.table(families)
        }
        return """
            \(introduction)

            \(tables.joined(separator: "\n\n"))

            \(alertIntroduction)

            | alert | means | what to do |
            |---|---|---|
            \(alerts.map { "| `\($0.name)` | \(Self.plain($0.summary)) | \($0.description) |" }.joined(separator: "\n"))

            """
    }

    private static func table(_ families: [MetricFamily]) -> String {
        let rows = families.map { family in
            let labels = family.labels.map { "`\($0)`" }.joined(separator: ", ")
            let name = family.kind == .histogram ? family.name : family.sampleNames[0]
            return "| `\(name)` | \(family.kind.rawValue) | \(labels) | \(family.help) | \(elsewhere(family)) |"
        }
        return (["| metric | type | labels | | elsewhere |", "|---|---|---|---|---|"] + rows).joined(separator: "\n")
    }

    /// What others call it; empty where nobody has it.
    private static func elsewhere(_ family: MetricFamily) -> String {
        guard let found = MetricCounterpart.all.first(where: { $0.family == family }) else { return "" }
        return (found.streams + found.openTelemetry).map { "`\($0)`" }.joined(separator: ", ")
    }

    /// A summary without the brackets of Prometheus's templates.
    private static func plain(_ text: String) -> String {
        text.replacing(/\{\{ \$labels\.(\w+) \}\}/) { "*\($0.1)*" }.replacing(
            /\{\{ \$value[^}]*\}\}/, with: "*so long, or so many*")
    }
}

private let introduction = """
    # Metrics and health

    Every verb that runs on (`process`, `sink`, `serve`, `produce`) serves its metrics and its health over HTTP
    where `--metrics HOST:PORT` or the setting `metrics.listen` says. Each process of a machine has a port of its
    own; port 0 takes a free one, which the log names. `demo` and `show --watch` run on as well, and serve none.

    ```sh
    tideline process --metrics 127.0.0.1:9464 > process.log 2>&1 &
    until curl -sf 127.0.0.1:9464/health/ready; do sleep 1; done
    curl -sf 127.0.0.1:9464/metrics | grep tideline_tasks
    kill %1
    ```

    Nobody is asked for a token there, and nothing can be changed. Metrics name topics, kinds and stores, never an
    id, a token or a value. On a loopback address a request must also be sent to a loopback name, so that no page in
    a browser reaches it by a name of its own (421). On another address everybody who reaches it may read: let a
    network policy decide who does.

    ## Health

    | path | says yes (200) | says no (503) |
    |---|---|---|
    | `/health/live` | the loop turns | a thread hangs: only a new start helps |
    | `/health/ready` | it does its work and keeps up | the answer names the parts that are unwell, and why |
    | `/health/startup` | it has begun: topics are there, what it starts with is read; this stays | what it waits for |

    `{"status":"ready","zoneData":"2025b"}` is a good answer; a bad one is such as
    `{"status":"unhealthy","zoneData":"2025b","problems":[{"part":"commits","reason":"…"}]}`. `zoneData` is the
    version of the zone database, which `tideline doctor --ask` compares. `/health/ready` also has `notices`, of the
    same form, with 200 as well: what somebody should look at although the process is well. There is one, the part
    `dead-letters`: records were set aside within the last ten minutes. A record that nobody can use is no reason to
    send work elsewhere. Parts of `problems` are:

    | part | of | what is wrong, and what to do |
    |---|---|---|
    | `startup` | all | it has not begun yet; the reason says what it waits for |
    | `brokers` | all | a broker has been out of reach for ten seconds; it goes on by itself once it is back |
    | `outputs` | `process` | a topic that is written to is gone; make it again with its former settings |
    | `topics` | `process`, `sink` | a topic is gone, or an internal one is not as it must be; the reason names the \
    verb, or what reading waits for |
    | `commits` | `process` | brokers refuse what a stream thread writes, such as for a permission, or it has made no \
    progress for twelve seconds; the reason has the last failure |
    | `restore` | `process` | a task waits for offsets or is restored; the reason says if it stands still |
    | `lag` | `process`, `sink` | it is behind by more than `health.lag`, cannot ask how far, or did nothing for so \
    long and records wait |
    | `target` | `sink` | a folder or a server does not take what it gets; the sink tries again, \
    also where nothing waits or it has just begun |
    | `sink` | `sink` | one of several sinks has failed; the reason says why. It begins again by itself, after up to \
    five minutes, unless another sink has taken its place or its positions are of another cluster |
    | `views` | `serve` | the topics are not read yet or out of reach, or one is gone or may not be read; \
    the reason names it and what to do |
    | `acknowledgements` | `produce` | no broker has taken a record for ten seconds |
    | `descriptors` | `process`, `sink`, `serve` | hardly any descriptor is left; raise the limit of open files |
    | `loop` | all but `produce`, which may wait for its input | a thread hangs (`/health/live`) |
    | `ending` | all | it was told to end |

    A process to which the group has given no tasks is ready: it is there for when another one goes.

    A supervisor restarts by `/health/live`, and sends work by `/health/ready`. Do not restart by `/health/ready`:
    an outage of the brokers, or a long restore, would become a loop of new starts.

    ## All metrics

    The text is OpenMetrics 1.0. A counter is named with `_total`, a histogram with `_bucket`, `_count` and `_sum`,
    in PromQL as in the text. Counters begin at 0 with the process. What a process cannot know has no series, such
    as the lag while no broker answers. Numbers are those of the process that is asked: add up, or take the worst,
    over instances. They cost nothing on the way of a record: stream threads publish what they count ten times a
    second, and a request copies that.

    The column *elsewhere* has the names of the nearest metrics of Kafka Streams and its Java clients (with hyphens),
    and of the semantic conventions of OpenTelemetry (with dots; those of messaging are still in development there).
    They measure alike, and are not always the same. A rate is `rate()` of a counter here; averages and maxima come
    of a histogram, by `histogram_quantile()`.
    """

private let alertIntroduction = """
    ## Alerts

    `monitoring/alerts.yaml` has these for Prometheus; `make monitoring-test` plays each with data that fires it,
    and with data that does not. Each leads to a section of the [runbook](Runbook.md). `monitoring/dashboard.json`
    is a dashboard for Grafana. `docker-compose --profile monitoring up -d` starts both.
    """
