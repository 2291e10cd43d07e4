// MetricsTests: instruments count what they are told, from any thread, and the text is what OpenMetrics 1.0 says.

import Metrics
import TestSupport
import Testing

private let requests = MetricFamily("app_requests", .counter, labels: ["path"], "Requests, \"good\" and\nbad: C:\\x")
private let size = MetricFamily("app_size_bytes", .gauge, unit: .bytes, "The size.")
private let time = MetricFamily("app_time_seconds", .histogram, unit: .seconds, labels: ["step"], "The time.")
private let build = MetricFamily("app_build", .info, labels: ["version"], "The release.")

@Suite("Metrics and their text")
struct MetricsTests {
    @Test("the text has type, unit, help and series of each family in their order, and ends with # EOF")
    func text() {
        let registry = MetricsRegistry([build, requests, size, time])
        registry.collect { $0.say(build, ["1.2"]) }
        let odd = registry.counter(requests, ["a\"b\\c\r\nd"])
        let plain = registry.counter(requests, ["/"])
        let gauge = registry.gauge(size)
        let histogram = registry.histogram(time, ["flush"], bounds: [0.005, 1, 10])
        odd.increment(by: 2)
        plain.increment()
        gauge.record(0.25)
        for value in [0.005, 0.006, 11] { histogram.record(value) }
        #expect(
            registry.snapshot().text == #"""
                # TYPE app_build info
                # HELP app_build The release.
                app_build_info{version="1.2"} 1
                # TYPE app_requests counter
                # HELP app_requests Requests, \"good\" and\nbad: C:\\x
                app_requests_total{path="/"} 1
                app_requests_total{path="a\"b\\c\#r\nd"} 2
                # TYPE app_size_bytes gauge
                # UNIT app_size_bytes bytes
                # HELP app_size_bytes The size.
                app_size_bytes 0.25
                # TYPE app_time_seconds histogram
                # UNIT app_time_seconds seconds
                # HELP app_time_seconds The time.
                app_time_seconds_bucket{step="flush",le="0.005"} 1
                app_time_seconds_bucket{step="flush",le="1.0"} 2
                app_time_seconds_bucket{step="flush",le="10.0"} 2
                app_time_seconds_bucket{step="flush",le="+Inf"} 3
                app_time_seconds_count{step="flush"} 3
                app_time_seconds_sum{step="flush"} 11.011
                # EOF

                """#)
    }

    @Test("a family without series is declared all the same, so that whoever looks for its name finds it")
    func empty() {
        #expect(
            MetricsRegistry([size]).snapshot().text
                == "# TYPE app_size_bytes gauge\n# UNIT app_size_bytes bytes\n# HELP app_size_bytes The size.\n# EOF\n")
    }

    @Test("numbers are written as they are: whole ones without a fraction, and those that are none by name")
    func numbers() {
        for (value, text) in [
            (0.0, "0"), (-3, "-3"), (1.5, "1.5"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"),
            (1e300, "1e+300"),
        ] {
            var snapshot = MetricsSnapshot([size])
            snapshot.add(value, to: size)
            #expect(snapshot.text.contains("\napp_size_bytes \(text)\n"), "\(value)")
        }
    }

    @Test("what several threads publish adds up, and the worst of them decides where it is asked for that")
    func sums() {
        var snapshot = MetricsSnapshot([requests, size, time])
        snapshot.add(1, to: requests, ["/"])
        snapshot.add(2, to: requests, ["/"])
        for value in [3.0, 7, 5] { snapshot.raise(size, to: value) }
        var (one, other) = (Distribution(bounds: [1]), Distribution(bounds: [1]))
        one.record(.milliseconds(500))
        other.record(2)
        snapshot.add(one, to: time, ["x"])
        snapshot.add(other, to: time, ["x"])
        #expect(snapshot.text.contains("app_requests_total{path=\"/\"} 3\n"))
        #expect(snapshot.text.contains("app_size_bytes 7\n"))
        #expect(snapshot.text.contains("app_time_seconds_bucket{step=\"x\",le=\"1.0\"} 1\n"))
        #expect(snapshot.text.contains("app_time_seconds_sum{step=\"x\"} 2.5\n"))
    }

    @Test("a value on a bound is within it; one that is no number is not counted")
    func bounds() {
        var distribution = Distribution(bounds: [1, 2])
        for value in [0.5, 1, 1.5, 2, 2.5, .nan, .infinity] { distribution.record(value) }
        #expect(distribution.counts == [2, 2, 2] && distribution.cumulative == [2, 4, 6])
    }

    @Test("a counter and a timer count from any thread, and a timer also counts what failed")
    func threads() async {
        struct Failure: Error {}
        let registry = MetricsRegistry([requests, time])
        let counter = registry.counter(requests, ["/"])
        let timer = registry.timer(time, ["x"])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 {
                        counter.increment()
                        timer.record(.seconds(1))
                    }
                }
            }
        }
        var clock = Duration.zero
        #expect(throws: Failure.self) {
            try timer.measure(now: { clock }) {
                clock = .seconds(4)
                throw Failure()
            }
        }
        let text = registry.snapshot().text
        #expect(counter.value == 8000 && text.contains("app_requests_total{path=\"/\"} 8000\n"))
        #expect(text.contains("app_time_seconds_count{step=\"x\"} 8001\n"))
        #expect(text.contains("app_time_seconds_sum{step=\"x\"} 8004\n"))
    }
}
