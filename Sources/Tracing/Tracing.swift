// Tracing: spans, the contexts that bind them to traces, and the queue in which they wait to be sent.
//
// It must not know where spans go, nor Kafka, HTTP, clocks or settings: time and random numbers come from outside. It
// is pure, but for the lock of its queue.
//
// Begin with `Tracer`, which starts spans and takes those that have ended; its names are those of
// swift-distributed-tracing. `WorkTrace` holds the spans of work that succeeds or fails as a whole, such as a
// transaction. `SpanContext` is what W3C's `traceparent` says. The module TraceExport sends what waits in `SpanQueue`.

import Synchronization

/// An instant by the clock of the day, in nanoseconds since 1970.
package typealias TraceTime = Int64

/// Starts spans, and hands those that have ended to a queue. Any thread.
package final class Tracer: Sendable {
    package let queue: SpanQueue
    private let currentSampler: Mutex<TraceSampler>
    private let clock: @Sendable () -> TraceTime
    private let random: @Sendable () -> UInt64

    /// - Parameters:
    ///   - now: the time of spans.
    ///   - random: draws ids.
    package init(
        sampler: TraceSampler, queue: SpanQueue, now: @escaping @Sendable () -> TraceTime,
        random: @escaping @Sendable () -> UInt64
    ) {
        currentSampler = Mutex(sampler)
        self.queue = queue
        clock = now
        self.random = random
    }

    /// Another one counts from the next span on.
    package var sampler: TraceSampler {
        get { currentSampler.withLock { $0 } }
        set { currentSampler.withLock { $0 = newValue } }
    }

    package func now() -> TraceTime { clock() }

    /// Starts a span: the child of a context, or the first of a new trace.
    ///
    /// - Parameter instant: when it began; `nil` stands for now.
    /// - Returns: `nil` if the sampler leaves the trace out.
    package func startSpan(
        _ operationName: String, context parent: SpanContext? = nil, ofKind kind: SpanKind = .internal,
        at instant: TraceTime? = nil
    ) -> Span? {
        let trace = parent?.traceID ?? TraceID(high: nonzero(), low: nonzero())
        guard sampler.isSampled(trace, parent: parent) else { return nil }
        let context = SpanContext(traceID: trace, spanID: SpanID(nonzero()), isSampled: true)
        return Span(operationName, context, parent: parent?.spanID, kind, start: instant ?? now())
    }

    /// Ends a span and hands it over. A span that has ended keeps its end.
    package func end(_ span: Span) {
        var span = span
        if span.end == nil { span.end(at: now()) }
        queue.append(span)
    }

    /// Zero stands for no id (W3C Trace Context 3.2.2).
    private func nonzero() -> UInt64 {
        let number = random()
        return number == 0 ? 1 : number
    }
}
