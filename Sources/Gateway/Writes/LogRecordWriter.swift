import Dispatch
package import RecordLog
import Synchronization

/// Writes the records of routes through a producer that reports each of them.
///
/// No call waits: the producer's own thread reports. A producer that has failed for good is left, and the next call
/// makes another.
package final class LogRecordWriter: RecordWriter {
    private let make: @Sendable () throws(LogError) -> any ReportingProducer
    private let state = Mutex(State())

    private struct State {
        var producer: (any ReportingProducer)?
        var isClosed = false
    }

    /// - Parameter make: makes a producer; called at the first write, and again after one has failed for good.
    package init(make: @escaping @Sendable () throws(LogError) -> any ReportingProducer) {
        self.make = make
    }

    package func write(
        _ records: [OutgoingRecord],
        completion: @escaping @Sendable (Result<[RecordPlace], LogError>) -> Void
    ) {
        let producer: any ReportingProducer
        do throws(LogError) {
            producer = try current()
        } catch {
            return completion(.failure(error))
        }
        // One more than the records: the last one is this function itself, so that it all ends once.
        let batch = WrittenBatch(count: records.count + 1) { [self] outcome in
            if case .failure(let error) = outcome, error.code == .fatal { leave(producer) }
            completion(outcome)
        }
        for (index, record) in records.enumerated() {
            do throws(LogError) {
                try producer.produce(
                    topic: record.topic, partition: record.partition, key: record.key, value: record.value,
                    headers: record.headers
                ) { outcome in
                    batch.report(
                        index,
                        outcome.map { place in
                            RecordPlace(topic: record.topic, partition: place.partition, offset: place.offset)
                        })
                }
            } catch {
                // What comes behind it is not written either.
                for later in index..<records.count { batch.report(later, .failure(error)) }
                break
            }
        }
        batch.finish()
    }

    /// Gives up what is not acknowledged, and ends. Later writes fail.
    package func close() {
        let producer = state.withLock { state in
            state.isClosed = true
            return state.producer.take()
        }
        producer?.close()
    }

    private func current() throws(LogError) -> any ReportingProducer {
        try state.withLock { (state) throws(LogError) in
            guard !state.isClosed else { throw LogError(.wrongState, name: "_STATE", "the server is shutting down") }
            if let producer = state.producer { return producer }
            let producer = try make()
            state.producer = producer
            return producer
        }
    }

    private func leave(_ producer: any ReportingProducer) {
        let isLeft = state.withLock { state in
            guard state.producer === producer else { return false }
            state.producer = nil
            return true
        }
        // Its own report must not end it.
        if isLeft { DispatchQueue.global().async { producer.close() } }
    }
}

/// Waits for the reports of records that were written together.
private final class WrittenBatch: Sendable {
    private let state: Mutex<State>
    private let completion: @Sendable (Result<[RecordPlace], LogError>) -> Void

    private struct State {
        var places: [RecordPlace?]
        var failure: (index: Int, error: LogError)?
        var outstanding: Int
    }

    init(count: Int, completion: @escaping @Sendable (Result<[RecordPlace], LogError>) -> Void) {
        state = Mutex(State(places: Array(repeating: nil, count: count - 1), outstanding: count))
        self.completion = completion
    }

    func report(_ index: Int, _ outcome: Result<RecordPlace, LogError>) {
        end { state in
            switch outcome {
            case .success(let place): state.places[index] = place
            case .failure(let error):
                if index < state.failure?.index ?? .max { state.failure = (index, error) }
            }
        }
    }

    func finish() {
        end { _ in }
    }

    private func end(_ change: (inout State) -> Void) {
        let outcome: Result<[RecordPlace], LogError>? = state.withLock { state in
            change(&state)
            state.outstanding -= 1
            guard state.outstanding == 0 else { return nil }
            return state.failure.map { .failure($0.error) } ?? .success(state.places.compactMap(\.self))
        }
        if let outcome { completion(outcome) }
    }
}
