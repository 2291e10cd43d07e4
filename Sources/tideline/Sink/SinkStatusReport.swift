import Foundation
import Messages
import Observability
import RecordLog
import Settings
import Sinks
import Synchronization

/// Tells how the sinks of this process are, in the topic of statuses: at the start, when a state changes, every few
/// seconds while they run, and at the end. `tideline sink --status` reads it. Any thread.
///
/// Telling never holds a sink up: if it cannot be told, the log says so once, and the next attempt comes with the next
/// status.
final class SinkStatusReport: Sendable {
    /// Compacted, of one partition.
    static func topic(_ settings: Settings) -> String { settings[Keys.application] + ".sinks" }
    /// How often a sink tells that it runs.
    static let interval = Duration.seconds(5)
    /// A sink that has not told for so long, and said nothing of its end, is silent.
    static let silence = interval * 4

    private struct State {
        var producer: (any PlainProducer)?
        var isSilent = false
        var sinks: [String: Sink] = [:]
        /// What the runs before have told, by the keys of their records.
        var former: [String: SinkStatus] = [:]
    }

    private struct Sink {
        var status: SinkStatus
        var records = 0
        /// What was told last.
        var told: (state: SinkStatus.State?, records: Int, at: Duration) = (nil, 0, .zero)
    }

    private let topic: String
    private let cluster: any Cluster
    private let logger: Logger
    private let state: Mutex<State>

    /// Makes the topic where it is missing; else reads what the runs before have told.
    init(_ environment: Environment, _ admin: any Admin) {
        topic = Self.topic(environment.settings)
        cluster = environment.cluster
        logger = environment.logger(for: .sinks)
        state = Mutex(State())
        do throws(LogError) {
            try admin.createTopic(
                NewTopic(
                    name: topic, partitions: 1, replication: environment.settings.internalReplication,
                    settings: [.init("cleanup.policy", "compact")]),
                timeout: .seconds(5))
        } catch {
            if error.code == .topicAlreadyExists { readFormer(environment) } else { fail(error) }
        }
    }

    private func readFormer(_ environment: Environment) {
        do throws(CommandFailure) {
            let former = try environment.sinkStatuses().told
            state.withLock { $0.former = former }
        } catch {
            logger.notice("what the sinks wrote last is not known before they write again: \(error.message)")
        }
    }

    /// A sink begins, or begins again. What it wrote last and how far it was, in this process or before it, stays until
    /// it tells that anew: its target may be away for long. The last error of this process stays as well.
    func begin(_ status: SinkStatus) {
        state.withLock { state in
            var status = status
            let before = state.sinks[status.name]?.status
            let former = state.former[status.key]
            status.written = before?.written ?? former?.written
            status.positions = before?.positions ?? former?.positions ?? []
            (status.lastError, status.lastErrorAt) = (before?.lastError, before?.lastErrorAt)
            state.sinks[status.name] = Sink(status: status)
            tell(status.name, &state)
        }
    }

    /// - Parameters:
    ///   - positions: what is kept; empty before the target has said that.
    ///   - written: the last timeline that was written; `nil` if that is not known.
    ///   - records: the number of records that were read.
    ///   - waiting: the number of those that are not written, sent or set aside yet.
    func note(
        _ name: String, _ positions: [Partition: SinkPosition], _ written: SinkStatus.Written?, records: Int,
        waiting: Int
    ) {
        change(name) { sink in
            if !positions.isEmpty { sink.status.note(positions) }
            sink.status.waiting = waiting
            sink.status.written = written ?? sink.status.written
            sink.records = records
        }
    }

    /// - Parameter trouble: what it waits for; `nil` if it waits no more.
    func note(_ name: String, trouble: String?) {
        change(name) { $0.status.fall(to: trouble == nil ? .running : .waiting, trouble) }
    }

    /// Takes what was set aside, or what a sink goes on after.
    func note(_ name: String, error: String) {
        change(name) { $0.status.note(error: error) }
    }

    func note(_ name: String, _ notice: SinkNotice) {
        change(name) { sink in
            switch notice {
            case .holding(let error, _): sink.status.fall(to: .waiting, error.description)
            case .awaiting(let error): sink.status.fall(to: .waiting, "\(sink.status.topic): \(error.message)")
            case .resumed, .brokersBack: sink.status.fall(to: .running, nil)
            case .setBack:
                // The target does not know them any more.
                sink.status.positions = []
                sink.status.note(error: notice.description)
            case .unusable, .unremoved, .log: sink.status.note(error: notice.description)
            case .newPartitions, .startedOver: break
            }
        }
    }

    /// - Parameter failure: why it cannot go on; `nil` if it was told to end, or has caught up.
    func end(_ name: String, _ failure: String?) {
        change(name) { $0.status.fall(to: failure == nil ? .stopped : .failed, failure) }
    }

    /// Waits a moment for what was told.
    func close() {
        state.withLock { state in
            do throws(LogError) {
                try state.producer?.flush(timeout: .seconds(2))
            } catch {
                fail(error)
            }
            state.producer?.close()
            state.producer = nil
        }
    }

    private func change(_ name: String, _ body: (inout Sink) -> Void) {
        state.withLock { state in
            guard var sink = state.sinks[name] else { return }
            body(&sink)
            state.sinks[name] = sink
            let isNews = sink.told.state != sink.status.state
            if isNews || WallClock.uptime() - sink.told.at >= Self.interval { tell(name, &state) }
        }
    }

    private func tell(_ name: String, _ state: inout State) {
        guard var sink = state.sinks[name] else { return }
        let now = WallClock.uptime()
        let time = (now - sink.told.at) / .seconds(1)
        if sink.told.state != nil, time > 0 { sink.status.rate = Double(sink.records - sink.told.records) / time }
        sink.status.at = .now()
        sink.told = (sink.status.state, sink.records, now)
        state.sinks[name] = sink
        do throws(LogError) {
            if state.producer == nil {
                state.producer = try cluster.makePlainProducer(clientId: "tideline-sink-status")
            }
            if let producer = state.producer { try write(sink.status, with: producer) }
            state.isSilent = false
        } catch {
            state.producer?.close()
            state.producer = nil
            if !state.isSilent { fail(error) }
            state.isSilent = true
        }
    }

    private func write(_ status: SinkStatus, with producer: any PlainProducer) throws(LogError) {
        // What the brokers have not taken by now is of no use any more, and must not fill the queue.
        guard try producer.unacknowledged() < 100 else { return }
        let (key, value) = (Array(status.key.utf8), Array(status.json.utf8))
        try key.span.bytes.withUnsafeBytes { (key) throws(LogError) in
            try value.span.bytes.withUnsafeBytes { (value) throws(LogError) in
                try producer.produce(topic: topic, partition: 0, key: key, value: value, headers: [])
            }
        }
    }

    private func fail(_ error: LogError) {
        logger.notice("how the sinks are cannot be told in \(topic): \(error); they go on")
    }
}

extension SinkStatus {
    fileprivate mutating func fall(to state: State, _ error: String?) {
        if self.state != state { (self.state, since) = (state, .now()) }
        if let error { note(error: error) }
    }

    fileprivate mutating func note(error: String) { (lastError, lastErrorAt) = (error, .now()) }
}
