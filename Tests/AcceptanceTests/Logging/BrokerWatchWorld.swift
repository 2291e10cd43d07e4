import Foundation
import Observability
import Synchronization

@testable import tideline

/// The surroundings of a watch over brokers: the test decides the time, which brokers answer, and when a round ends.
final class BrokerWatchWorld: Sendable {
    let lines = Mutex<[String]>([])
    let now = Mutex(Duration.seconds(100))
    let answering = Mutex<Set<String>>([])
    /// The cluster as each broker that answers sees it.
    let cluster = Mutex(BrokerWatch.ClusterView(brokers: ["a:9092", "b:9092", "127.0.0.1:9092"]))
    let watch = Mutex<(@Sendable () -> Void)?>(nil)
    /// The events between the rounds of a watch, one after the other; after the last one every broker answers.
    let rounds = Mutex<[@Sendable (BrokerWatchWorld) -> Void]>([])

    func makeWatch(level: Logger.Level = .info, format: StreamLogHandler.Format = .text) -> BrokerWatch {
        let stream = LogStream { [self] line in lines.withLock { $0.append(String(line.dropFirst(25).dropLast())) }
        }
        let handler = StreamLogHandler(label: "t", level: level, format: format, stream: stream) { Date() }
        return BrokerWatch(
            Logger(label: "t", handler: handler), bootstrap: "a:9092, b:9092",
            ports: .init(
                now: { [self] in now.withLock { $0 } },
                ask: { [self] address in
                    answering.withLock { $0.contains(address) } ? cluster.withLock { $0 } : nil
                },
                start: { [self] body in watch.withLock { $0 = body } },
                pause: { [self] in
                    let next = rounds.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                    if let next {
                        next(self)
                    } else {
                        answering.withLock { $0 = ["a:9092", "b:9092", "127.0.0.1:9092"] }
                    }
                }))
    }

    /// Runs the watch that was started, to its end.
    func run() -> Bool {
        let body = watch.withLock { watch in
            defer { watch = nil }
            return watch
        }
        body?()
        return body != nil
    }

    func pass(_ duration: Duration) { now.withLock { $0 += duration } }
}
