import Observability
import RecordLog
import StreamRuntime

/// The status as a line for people. The least important part is shortened first, then left out, until the line fits.
extension PipelineStatus {
    /// - Parameter columns: the most columns that the line may have; `nil` sets no limit.
    func line(columns: Int? = nil) -> String {
        var segments = segments
        guard let columns else { return Self.joined(segments) }
        while Self.joined(segments).count > columns {
            // Of equal ones the last is shortened.
            let candidates = segments.indices.reversed().filter { segments[$0].rank > 0 || segments[$0].short != nil }
            guard let index = candidates.max(by: { segments[$0].order < segments[$1].order }) else { break }
            if let short = segments[index].short {
                segments[index].text = short
                segments[index].short = nil
            } else {
                segments.remove(at: index)
                if segments.last?.text != "…" { segments.append(Segment("…", rank: 0)) }
            }
        }
        let line = Self.joined(segments)
        return line.count <= columns ? line : columns > 0 ? line.prefix(columns - 1) + "…" : ""
    }

    private struct Segment {
        var text: String
        var short: String?
        /// The importance: 0 is the highest, and such a segment is never left out.
        var rank: Int
        /// The order of shortening and leaving out, the highest number first: details go before other segments do, but
        /// those of what is never left out stay longer than the rate of records.
        var order: Int { rank + (short == nil ? 0 : rank == 0 ? 3 : 4) }

        init(_ text: String, short: String? = nil, rank: Int) {
            self.text = text
            self.short = short
            self.rank = rank
        }
    }

    private static func joined(_ segments: [Segment]) -> String { segments.map(\.text).joined(separator: " · ") }

    private var segments: [Segment] {
        var segments = [Segment(taskText(withRate: true), short: taskText(withRate: false), rank: 0)]
        if let away { segments.append(Segment("broker away for \(away.shortText)", rank: 1)) }
        if !tasks.isEmpty { segments.append(lagSegment) }
        if let recordsPerSecond { segments.append(Segment("\(Self.rate(recordsPerSecond))/s", rank: 3)) }
        let commit = lastCommitAge.map { "committed \($0.shortText) ago" }
        segments.append(Segment(commit ?? "nothing committed", rank: 4))
        if lostPositions > 0 { segments.append(Segment(Self.count(lostPositions, "lost position"), rank: 2)) }
        if aborts > 0 { segments.append(Segment(Self.count(aborts, "abort"), rank: 2)) }
        if deadLetters > 0 { segments.append(Segment(Self.count(deadLetters, "dead letter"), rank: 2)) }
        if futureTelemetry > 0 {
            segments.append(Segment("\(Self.grouped(Int64(futureTelemetry))) from the future", rank: 2))
        }
        if tooLargeTimelines > 0 {
            segments.append(Segment("\(Self.count(tooLargeTimelines, "timeline")) too large", rank: 2))
        }
        if lateTelemetry > 0 { segments.append(Segment("\(Self.grouped(Int64(lateTelemetry))) late", rank: 5)) }
        segments.append(Segment(Self.count(records, "record"), rank: 5))
        for (text, isProblem) in positions.texts { segments.append(Segment(text, rank: isProblem ? 2 : 6)) }
        for change in changes where change.count > 0 {
            segments.append(Segment("\(Self.grouped(Int64(change.count))) \(change.name)", rank: 6))
        }
        return segments
    }

    /// - Parameter withRate: true if it says how fast tasks restore.
    private func taskText(withRate: Bool) -> String {
        if tasks.isEmpty { return "no tasks" }
        var parts: [String] = []
        if running > 0 { parts.append("\(running) running") }
        if let restoredPercent {
            let rate = withRate ? restoredPerSecond.map { " (\(Self.rate($0))/s)" } : nil
            parts.append("\(restoring) restoring \(restoredPercent) %\(rate ?? "")")
        }
        if waiting > 0 { parts.append("\(waiting) waiting") }
        return "tasks \(parts.joined(separator: ", "))"
    }

    private var lagSegment: Segment {
        guard let lag, let lagRecords else { return Segment("lag unknown", short: "lag ?", rank: 1) }
        if lagRecords == 0 { return Segment("lag 0", rank: 1) }
        let time = lagTime.map { ", \($0.shortText)" } ?? ""
        let short = "lag \(Self.grouped(lagRecords))\(time)"
        let behind = lag.filter { $0.records > 0 }
        let topics = behind.map { "\($0.topic) \(Self.grouped($0.records))" }.joined(separator: ", ")
        return Segment(behind.count > 1 ? "\(short) (\(topics))" : "lag \(topics)\(time)", short: short, rank: 1)
    }

    private static func rate(_ value: Double) -> String {
        value < 9.95 ? "\((value * 10).rounded() / 10)" : grouped(Int64(value.rounded()))
    }

    private static func count(_ count: Int, _ name: String) -> String {
        "\(grouped(Int64(count))) \(name)\(count == 1 ? "" : "s")"
    }

    /// A number with its thousands grouped: `1,234,567`.
    private static func grouped(_ number: Int64) -> String {
        var result = ""
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3), digit != "-" { result.append(",") }
            result.append(digit)
        }
        return String(result.reversed())
    }
}

/// The status as fields for machines: numbers, with their units in their names.
extension PipelineStatus {
    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "tasks": ["running": .number(running), "restoring": .number(restoring), "waiting": .number(waiting)],
            "records": .number(records), "aborts": .number(aborts), "deadLetters": .number(deadLetters),
            "lateTelemetry": .number(lateTelemetry), "futureTelemetry": .number(futureTelemetry),
            "tooLargeTimelines": .number(tooLargeTimelines),
            "positions": positions.metadata,
            "changes": .dictionary(Logger.Metadata(uniqueKeysWithValues: changes.map { ($0.name, .number($0.count)) })),
        ]
        var restoring: Logger.Metadata = [:]
        for task in tasks {
            guard case .restoring(let next, let end) = task.state else { continue }
            restoring["\(task.partition)"] = [
                "next": .number(next.rawValue), "end": .number(end.rawValue),
            ]
        }
        if let restoredPercent {
            metadata["restoring"] = .dictionary(restoring)
            metadata["restoredPercent"] = .number(restoredPercent)
            if let restoredPerSecond { metadata["restoredPerSecond"] = .number(restoredPerSecond) }
        }
        if let lag {
            metadata["lag"] = .dictionary(
                Logger.Metadata(uniqueKeysWithValues: lag.map { ($0.topic, .number($0.records)) }))
            let known = lag.compactMap { topic in
                topic.time.map { (topic.topic, Logger.MetadataValue.milliseconds($0)) }
            }
            if !known.isEmpty { metadata["lagMs"] = .dictionary(Logger.Metadata(uniqueKeysWithValues: known)) }
        }
        if let recordsPerSecond { metadata["recordsPerSecond"] = .number(recordsPerSecond) }
        if let lastCommitAge { metadata["lastCommitAgeMs"] = .milliseconds(lastCommitAge) }
        if let away { metadata["brokerAwayMs"] = .milliseconds(away) }
        return metadata
    }
}
