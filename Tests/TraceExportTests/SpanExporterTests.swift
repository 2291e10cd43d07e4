import Foundation
import HTTPClient
import Synchronization
import TestSupport
import Testing

@testable import TraceExport
@testable import Tracing

/// The export with a collector that answers as a test wants. Waiting is for what the exporter says, never for a time.
@Suite struct SpanExporterTests {
    /// A collector in memory: gives each request the next answer, the last one for ever.
    private final class Collector: HTTPTransport, Sendable {
        private let state: Mutex<(answers: [Int], bodies: [String], waiting: [HTTPClientCompletion])>

        init(_ answers: [Int]) { state = Mutex((answers, [], [])) }

        var bodies: [String] { state.withLock { $0.bodies } }

        func execute(_ request: HTTPClientRequest, tag: Int) {
            state.withLock { state in
                state.bodies.append(String(decoding: request.body, as: UTF8.self))
                let status = state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
                // 0 stands for a request that gets no answer.
                if status > 0 {
                    state.waiting.append(.init(tag: tag, result: .success(HTTPClientResponse(status: status))))
                }
            }
        }

        func completions(timeout: Duration) -> [HTTPClientCompletion] {
            state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
        }

        func shutdown() {}
    }

    private struct Stage {
        let collector: Collector
        let exporter: SpanExporter
        let notices: Notices
        let tracer: Tracer

        init(_ answers: [Int], capacity: Int = 100, flush: Duration = .seconds(60)) {
            let (collector, notices) = (Collector(answers), Notices())
            var settings = ExportSettings(endpoint: "http://c/v1/traces", resource: [:], version: "1")
            settings.batchMaximum = 10
            settings.interval = .milliseconds(1)
            settings.pauseFirst = .milliseconds(1)
            settings.pauseMost = .milliseconds(2)
            settings.flushTimeout = flush
            exporter = SpanExporter(
                settings, capacity: capacity,
                now: { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) },
                transport: { collector }, notice: { notices.add($0) })
            self.collector = collector
            self.notices = notices
            tracer = Tracer(
                sampler: TraceSampler(.alwaysOn), queue: exporter.queue, now: { 1 },
                random: { .random(in: 1 ... .max) })
        }

        func make(_ count: Int) {
            for _ in 0..<count { tracer.startSpan("a").map(tracer.end) }
        }
    }

    private final class Notices: Sendable {
        private let state = Mutex<[ExportNotice]>([])
        func add(_ notice: ExportNotice) { state.withLock { $0.append(notice) } }
        var all: [ExportNotice] { state.withLock { $0 } }
    }

    @Test("the end sends all that waits, in batches")
    func flush() {
        let stage = Stage([200])
        stage.make(25)
        stage.exporter.start()
        stage.exporter.end()
        #expect(stage.exporter.counts.sent == 25 && stage.exporter.counts.lost == 0)
        #expect(stage.collector.bodies.count == 3 && stage.notices.all.isEmpty)
    }

    @Test("an outage is said once when it begins and once when it ends; the batch is sent again")
    func outage() async {
        let stage = Stage([503, 503, 503, 200])
        stage.make(5)
        stage.exporter.start()
        #expect(await eventually { stage.exporter.counts.sent == 5 })
        stage.exporter.end()
        let notices = stage.notices.all
        #expect(notices.count == 2 && notices.first == .away("status 503"), "\(notices)")
        if case .back(_, let lost) = notices.last { #expect(lost == 0) } else { Issue.record("\(notices)") }
        #expect(Set(stage.collector.bodies).count == 1 && stage.collector.bodies.count == 4)
    }

    @Test("what does not fit during an outage is dropped, counted and said; the end does not wait for ever")
    func lost() async {
        let stage = Stage([503], capacity: 20)
        stage.make(30)
        stage.exporter.start()
        #expect(await eventually { stage.notices.all.contains(.full) })
        stage.exporter.end()
        let counts = stage.exporter.counts
        #expect(counts.sent == 0 && counts.dropped == 10 && counts.failed == 20)
        #expect(stage.notices.all.contains(.full) && stage.notices.all.last == .lost(30), "\(stage.notices.all)")
        #expect(stage.notices.all.count == 3)
    }

    @Test("a refusal loses the batch and is said once; what comes later is tried")
    func refused() {
        let stage = Stage([401, 401, 200])
        stage.make(25)
        stage.exporter.start()
        stage.exporter.end()
        #expect(stage.exporter.counts.failed == 20 && stage.exporter.counts.sent == 5)
        #expect(stage.notices.all.first == .away("status 401") && stage.notices.all.last == .lost(20))
    }

    @Test("a collector that never answers holds up the end no longer than it may")
    func silence() {
        let stage = Stage([0], flush: .milliseconds(300))
        stage.make(5)
        stage.exporter.start()
        let began = ContinuousClock.now
        stage.exporter.end()
        #expect(ContinuousClock.now - began < .seconds(30))
        #expect(stage.exporter.counts.failed == 5 && stage.notices.all.last == .lost(5))
    }
}
