import Messages
import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import Synchronization
import TestSupport
import Testing
import Timelines
import Tracing

extension PipelineTests {
    /// The spans of the whole pipeline in memory.
    @Suite struct TracedPipelineTests {
        private static func tracer(_ sampler: TraceSampler.Name) -> Tracer {
            let ids = Mutex<UInt64>(0)
            return Tracer(
                sampler: TraceSampler(sampler), queue: SpanQueue(capacity: 100_000), now: { 1 },
                random: {
                    ids.withLock {
                        $0 += 1
                        return $0
                    }
                })
        }

        private static let trace = Header("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        private static let parent = SpanID(0x00f0_67aa_0ba9_02b7)

        @Test("a record's trace goes on in the timeline and the reload that follow, forwarded or not, over an abort")
        func chain() async throws {
            for partition in Partition(0)..<3 {
                let tracer = Self.tracer(.parentBasedAlwaysOff)
                try await PipelineFixture.run(PipelineFixture.Options(partitions: [3, 3, 3], threads: 0)) { pipeline in
                    let memory = try #require(pipeline.memory)
                    pipeline.plan.settings.tracer = tracer
                    try await pipeline.startThread()
                    pipeline.configuration("c1", #""vehicleId": "v1""#)
                    try await pipeline.settle()
                    #expect(tracer.queue.count == 0, "nothing came with a trace")
                    memory.memory.inject(.abortable(.init(.other, name: "_TEST", "test")), into: .commit, times: 1)
                    pipeline.advance(to: "08:00:30")
                    pipeline.telemetry(
                        "v1", "08:00:29", #""ignition": true, "speed": 40"#, headers: [Self.trace],
                        partition: partition)
                    try await pipeline.settle()
                    #expect(memory.events.now.aborts == 1)
                    let spans = tracer.queue.take(1000)
                    let done = spans.filter { $0.failure == nil }
                    #expect(spans.contains { $0.failure == "test" }, "the transaction that was aborted")
                    let send = try #require(done.first { $0.operationName == "send \(pipeline.topics.timelines)" })
                    let read = try #require(done.first { $0.context.spanID == send.parent })
                    #expect(read.operationName == "process \(pipeline.topics.telemetry)" && read.parent == Self.parent)
                    let reload = try #require(done.first { $0.operationName == "send \(pipeline.topics.reloads)" })
                    #expect(reload.parent == read.context.spanID)
                    let timeline = try #require(pipeline.published("c1").last).record
                    #expect(timeline.header("traceparent").map { Array($0.utf8) } == send.context.traceParent)
                    let told = try #require(pipeline.outputs.reloads.last).record
                    #expect(told.header("traceparent").map { Array($0.utf8) } == reload.context.traceParent)
                }
            }
        }

        @Test("the span of a record that becomes a dead letter says why")
        func deadLetter() async throws {
            let tracer = Self.tracer(.parentBasedAlwaysOff)
            try await PipelineFixture.run(PipelineFixture.Options(threads: 0)) { pipeline in
                pipeline.plan.settings.tracer = tracer
                try await pipeline.startThread()
                pipeline.put(pipeline.topics.telemetry, key: "v1", "no JSON", headers: [Self.trace])
                try await pipeline.settle()
                let span = try #require(tracer.queue.take(10).first)
                #expect(span.attributes[SpanNames.errorType] == "unreadable" && span.failure != nil)
                let letter = try #require(pipeline.outputs.deadLetters.first)
                #expect(letter.headers.contains(Self.trace), "a dead letter keeps what came")
            }
        }

        @Test("each transaction is a trace with what was polled, processed and committed")
        func transactions() async throws {
            let tracer = Self.tracer(.parentBasedAlwaysOn)
            try await PipelineFixture.run(PipelineFixture.Options(threads: 0)) { pipeline in
                pipeline.plan.settings.tracer = tracer
                try await pipeline.startThread()
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle()
                let spans = tracer.queue.take(10_000)
                let roots = spans.filter { $0.operationName == "transaction" }
                #expect(!roots.isEmpty && spans.allSatisfy { $0.parent != nil || $0.operationName == "transaction" })
                let full = roots.filter { root in
                    let steps = spans.filter { $0.parent == root.context.spanID }.map(\.operationName)
                    return steps.contains("poll") && steps.contains("process") && steps.last == "commit"
                }
                #expect(!full.isEmpty, "\(spans.map(\.operationName))")
            }
        }
    }
}
