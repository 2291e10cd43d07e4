import StreamCore
import StreamRuntime
import Synchronization

/// What stream threads told, added up. Any thread.
final class StreamEvents: Sendable {
    struct Totals: Sendable {
        var commits = 0
        var aborts = 0
        var replacedProducers = 0
        var failures: [String] = []
        /// `topic-partition@offset: reason` of each that was told of by name.
        var deadLetters: [String] = []
        var moreDeadLetters = 0
        /// `topic-partition@offset: reason`, as well.
        var warnings: [String] = []
        var notes: [ActivityNote] = []
        /// The fields of each source that began to fail.
        var failedSources: [[String: String]] = []
    }

    private let totals = Mutex(Totals())

    var now: Totals { totals.withLock { $0 } }

    var observer: StreamObserver {
        { [self] event in
            totals.withLock { totals in
                switch event {
                case .committed: totals.commits += 1
                case .aborted: totals.aborts += 1
                case .producerReplaced: totals.replacedProducers += 1
                case .deadLetter(let place, let offset, let reason):
                    totals.deadLetters.append("\(place)@\(offset): \(reason)")
                case .moreDeadLetters(let count): totals.moreDeadLetters += count
                case .warning(let place, let offset, let reason, _):
                    totals.warnings.append("\(place)@\(offset): \(reason)")
                case .noted(let note): totals.notes.append(note)
                case .sourceFailed(let failure):
                    let fields = failure.fields.map { ($0.name, $0.value) }
                    totals.failedSources.append(Dictionary(uniqueKeysWithValues: fields))
                case .failed(let error, let doing): totals.failures.append("\(doing): \(error)")
                default: break
                }
            }
        }
    }
}
