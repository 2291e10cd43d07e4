import Synchronization
import Testing

@testable import Tracing

/// Spans, which of them are recorded, and what becomes of those that nobody has room for.
@Suite struct TracerTests {
    /// Time and ids count up from 1.
    private static func tracer(_ sampler: TraceSampler, _ queue: SpanQueue) -> Tracer {
        let time = Mutex<TraceTime>(0)
        let id = Mutex<UInt64>(0)
        return Tracer(
            sampler: sampler, queue: queue,
            now: {
                time.withLock {
                    $0 += 1
                    return $0
                }
            },
            random: {
                id.withLock {
                    $0 += 1
                    return $0
                }
            })
    }

    private static func parent(sampled: Bool) -> SpanContext {
        SpanContext(traceID: TraceID(high: 1, low: 2), spanID: SpanID(3), isSampled: sampled)
    }

    private static func header(sampled: Bool = true) -> [UInt8] { parent(sampled: sampled).traceParent }

    @Test("a child is in its parent's trace; a span without a parent begins one")
    func spans() throws {
        let queue = SpanQueue()
        let tracer = Self.tracer(TraceSampler(.parentBasedAlwaysOn), queue)
        let root = try #require(tracer.startSpan("root"))
        let child = try #require(tracer.startSpan("child", context: root.context, ofKind: .client))
        #expect(root.parent == nil && child.parent == root.context.spanID)
        #expect(child.context.traceID == root.context.traceID && child.context.spanID != root.context.spanID)
        tracer.end(child)
        let ended = try #require(queue.take(10).first)
        #expect(ended.end.map { $0 > ended.start } == true && ended.kind == .client)
    }

    @Test(
        "samplers go by the parent where their names say so",
        arguments: [
            (TraceSampler.Name.alwaysOn, true, true, true), (.alwaysOff, false, false, false),
            (.parentBasedAlwaysOn, true, true, false), (.parentBasedAlwaysOff, false, true, false),
            (.ratio, false, false, false), (.parentBasedRatio, false, true, false),
        ])
    func sampling(name: TraceSampler.Name, root: Bool, ofSampled: Bool, ofOther: Bool) {
        let tracer = Self.tracer(TraceSampler(name, ratio: 0), SpanQueue())
        #expect((tracer.startSpan("a") != nil) == root)
        #expect((tracer.startSpan("a", context: Self.parent(sampled: true)) != nil) == ofSampled)
        #expect((tracer.startSpan("a", context: Self.parent(sampled: false)) != nil) == ofOther)
    }

    @Test("a ratio takes that part of the traces, the same in each process, and may change while it runs")
    func ratio() {
        let sampler = TraceSampler(.ratio, ratio: 0.25)
        let step = UInt64.max / 1000
        let taken = (0..<1000).count { sampler.isSampled(TraceID(high: 1, low: UInt64($0) * step), parent: nil) }
        #expect((249...251).contains(taken))
        let tracer = Self.tracer(TraceSampler(.alwaysOff), SpanQueue())
        #expect(tracer.startSpan("a") == nil)
        tracer.sampler = TraceSampler(.alwaysOn)
        #expect(tracer.startSpan("a") != nil)
    }

    @Test("the queue holds so many; the rest is dropped and counted, and the sender is woken once")
    func bound() {
        let wakes = Atomic<Int>(0)
        let queue = SpanQueue(capacity: 10, wakeCount: 4) { wakes.add(1, ordering: .relaxed) }
        let tracer = Self.tracer(TraceSampler(.alwaysOn), queue)
        for _ in 0..<25 { tracer.startSpan("a").map(tracer.end) }
        #expect(queue.count == 10 && queue.dropped == 15 && wakes.load(ordering: .relaxed) == 1)
        #expect(queue.take(6).count == 6 && queue.take(6).count == 4 && queue.take(6).isEmpty)
    }

    @Test("a transaction's spans come when it has ended, records' within their own traces and linked to it")
    func work() throws {
        let queue = SpanQueue()
        let work = WorkTrace(
            Self.tracer(TraceSampler(.parentBasedAlwaysOn), queue), "transaction", [SpanNames.group: "g"])
        work.step("poll", type: "receive", .client, since: work.now())
        var inner: [UInt8]?
        work.process("input", Self.header(), [SpanNames.offset: .int(7)]) { inner = work.traceParent }
        let sent = work.send("output", because: try #require(inner), [SpanNames.key: "k"])
        #expect(queue.count == 0)
        work.end()
        let spans = queue.take(100)
        let names = spans.map(\.operationName)
        #expect(names == ["poll", "process input", "send output", "transaction"])
        let (poll, process, send, root) = (spans[0], spans[1], spans[2], spans[3])
        #expect(poll.parent == root.context.spanID && root.parent == nil)
        #expect(process.parent == SpanID(3) && process.context.traceID == TraceID(high: 1, low: 2))
        #expect(process.links == [root.context] && send.links == [root.context])
        #expect(send.parent == process.context.spanID && sent == send.context.traceParent)
        #expect(process.context.traceParent == inner && process.attributes[SpanNames.offset] == .int(7))
        #expect(spans.allSatisfy { $0.failure == nil && $0.attributes[SpanNames.group] == "g" })
    }

    @Test("a transaction that is aborted says so in each span")
    func aborted() {
        let queue = SpanQueue()
        let work = WorkTrace(Self.tracer(TraceSampler(.alwaysOn), queue), "transaction", [:])
        work.step("poll", type: "receive", .client, since: work.now())
        work.process("input", Self.header(), [:]) {}
        work.end(failure: ("_FENCED", "fenced"))
        let spans = queue.take(100)
        #expect(spans.count == 3 && spans.allSatisfy { $0.failure == "fenced" })
        #expect(spans.allSatisfy { $0.attributes[SpanNames.errorType] == "_FENCED" })
        // The next one begins anew.
        work.end()
        #expect(queue.count == 0)
    }

    @Test("what is not recorded keeps the header that it came with, and has no span")
    func unsampled() {
        let queue = SpanQueue()
        let work = WorkTrace(Self.tracer(TraceSampler(.parentBasedAlwaysOff), queue), "transaction", [:])
        let header = Self.header(sampled: false)
        work.step("poll", type: "receive", .client, since: work.now())
        work.process("input", header, [:]) { #expect(work.traceParent == nil) }
        #expect(work.send("output", because: header, [:]) == header)
        #expect(work.send("output", because: Array("nonsense".utf8), [:]) == Array("nonsense".utf8))
        work.end()
        #expect(queue.count == 0)
    }

    @Test("a flood of traced records takes a bounded memory; what is left out is counted")
    func flood() {
        let queue = SpanQueue(capacity: 10_000)
        let work = WorkTrace(Self.tracer(TraceSampler(.alwaysOn), queue), "transaction", [:])
        for _ in 0..<2_500 { work.process("input", Self.header(), [:]) {} }
        work.step("commit", type: "settle", .client, since: work.now())
        work.end()
        #expect(queue.count == 2_002 && queue.dropped == 500)
        #expect(queue.take(3_000).suffix(2).map(\.operationName) == ["commit", "transaction"])
    }
}
