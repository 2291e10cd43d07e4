import Foundation
import Messages
import Observability
import RecordLog

/// The least that a reader of telemetry costs: all records are read and parsed, and nothing else happens.
struct BenchFloor {
    let environment: Environment

    /// Reads all telemetry that is there.
    ///
    /// - Returns: a line of figures, as programs beside the pipeline write them.
    func run(_ admin: any Admin) throws(CommandFailure) -> String {
        let topic = environment.topics.telemetry
        guard let found = try environment.require([topic], admin)[topic] else { return "" }
        let began = WallClock.uptime()
        do throws(LogError) {
            let records = try read((0..<Partition(found.partitions)).map { TopicPartition(topic, $0) }, admin)
            let seconds = Double((WallClock.uptime() - began).milliseconds) / 1000
            let usage = ProcessUsage.current()
            return "floor records=\(records) wall_s=\(seconds) cpu_s=\(usage.cpuSeconds)"
                + " rss_peak=\(usage.peakMemory / 1024)kB"
        } catch {
            throw CommandFailure(.unavailable, "cannot read \(topic): \(error)")
        }
    }

    private func read(_ partitions: [TopicPartition], _ admin: any Admin) throws(LogError) -> Int {
        let consumer = try environment.cluster.makeConsumer(
            group: nil, isolation: .readCommitted, clientId: "tideline-floor")
        defer { consumer.close() }
        let ends = try admin.endOffsets(of: partitions, isolation: .readCommitted, timeout: .seconds(30))
        try consumer.incrementalAssign(partitions.map { ($0, .earliest) })
        var open = Set(partitions.filter { ends[$0]?.rawValue ?? 0 > 0 }.map(\.partition))
        var reader = TelemetryReader()
        var records = 0
        while !open.isEmpty, !Signals.isStopRequested {
            // As many as a stream thread takes at once.
            let batch = consumer.poll(maximum: 10_000, timeout: .milliseconds(100))
            for record in batch.records {
                guard let value = record.value else { continue }
                // What is no telemetry has been parsed as well.
                _ = try? reader.read(value)
                records += 1
            }
            for end in batch.ends { open.remove(end.partition) }
            if let failure = batch.failures.first(where: { $0.code == .fatal }) { throw failure }
        }
        return records
    }
}
