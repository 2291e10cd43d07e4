import FaultInjection
import Foundation
import RdKafka
import RecordLog
import Synchronization

/// Telemetry of other vehicles that comes while the storm lasts: how long each record takes until a timeline that shows
/// it is committed. Every second one comes to a task that does not own its vehicle, and goes through the exchange.
final class StormProbes: Sendable {
    private let plan: StormPlan
    private let producer: any ReportingProducer
    private let state = Mutex(State())

    private struct State {
        /// When a record was written, in milliseconds since 1970; it waits to be shown.
        var sent: [Place: (at: Int64, isForwarded: Bool)] = [:]
        /// When a record was shown whose place the broker has not told the producer yet.
        var shownBefore: [Place: Int64] = [:]
        /// In milliseconds.
        var inPlace: [Double] = []
        var forwarded: [Double] = []
        var written = 0
        var number = 0
        var isStopped = false

        mutating func note(_ milliseconds: Double, _ isForwarded: Bool) {
            if isForwarded { forwarded.append(milliseconds) } else { inPlace.append(milliseconds) }
        }
    }

    private struct Place: Hashable {
        var partition: Int32
        var offset: Int64
    }

    struct Figures {
        var inPlace: [Double]
        var forwarded: [Double]
        var written: Int
        /// Written, and not shown by any timeline.
        var missing: Int
    }

    init(_ plan: StormPlan, _ cluster: RdKafkaCluster) throws {
        self.plan = plan
        producer = try cluster.makeReportingProducer(clientId: "storm-probes", deliveryTimeout: .seconds(60))
    }

    func start() {
        state.withLock { $0.isStopped = false }
        Thread { [self] in
            while !state.withLock({ $0.isStopped }) {
                write()
                Thread.sleep(forTimeInterval: Double(plan.probeEvery) / 1000)
            }
        }.start()
    }

    private func write() {
        let number = state.withLock { state in
            state.number += 1
            return state.number - 1
        }
        let id = "p\(number % plan.probes)"
        let isForwarded = !number.isMultiple(of: 2)
        let owner = Murmur2.partition(of: id, partitions: plan.partitions)
        let partition = isForwarded ? Partition(1 - owner.rawValue) : owner
        let value = plan.telemetry(id, at: .now, isMoving: (number / plan.probes).isMultiple(of: 2))
        let now = Instant.now.milliseconds
        do throws(LogError) {
            try producer.produce(
                topic: "vehicle.telemetry", partition: partition, key: Array(id.utf8), value: Array(value.utf8),
                headers: []
            ) { [self] result in
                guard case .success(let place) = result else { return }
                let key = Place(partition: place.partition.rawValue, offset: place.offset.rawValue)
                state.withLock { state in
                    state.written += 1
                    if let shownAt = state.shownBefore.removeValue(forKey: key) {
                        state.note(Double(shownAt - now), isForwarded)
                    } else {
                        state.sent[key] = (now, isForwarded)
                    }
                }
            }
        } catch {
            say("a probe is not taken: \(error)")
        }
    }

    /// A committed timeline of a probe was read.
    func note(_ timeline: UnsafeRawBufferPointer) {
        guard let object = try? JSONSerialization.jsonObject(with: Data(timeline)) as? [String: Any],
            let sources = object["sources"] as? [[String: Any]],
            let source = sources.first(where: { $0["topic"] as? String == "vehicle.telemetry" }),
            let partition = source["partition"] as? Int, let offset = source["offset"] as? Int
        else { return }
        let now = Instant.now.milliseconds
        state.withLock { state in
            let place = Place(partition: Int32(partition), offset: Int64(offset))
            if let sent = state.sent.removeValue(forKey: place) {
                state.note(Double(now - sent.at), sent.isForwarded)
            } else {
                state.shownBefore[place] = now
            }
        }
    }

    /// Writes no more, waits until what was written is shown, and begins anew.
    func stop() -> Figures {
        state.withLock { $0.isStopped = true }
        wait(atMost: 30, every: 0.1) { state.withLock { $0.sent.isEmpty } }
        return state.withLock { state in
            defer {
                state.sent = [:]
                state.shownBefore = [:]
                state.inPlace = []
                state.forwarded = []
                state.written = 0
            }
            return Figures(
                inPlace: state.inPlace.sorted(), forwarded: state.forwarded.sorted(), written: state.written,
                missing: state.sent.count)
        }
    }
}

extension [Double] {
    /// Of a sorted array.
    func quantile(_ share: Double) -> Double {
        isEmpty ? .nan : self[Swift.min(count - 1, Int(Double(count) * share))]
    }
}
