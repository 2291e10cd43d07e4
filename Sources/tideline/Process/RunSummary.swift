import Messages
import Pipeline

/// The results of a run of the pipeline, as `process` prints them.
struct RunSummary {
    var records: Int
    var timelines: Int
    var reloads: Int
    var deadLetters: Int
    /// The telemetry records that were dropped because newer ones of their vehicles were known.
    var lateTelemetry: Int
    /// The telemetry records from the future, which counted as observed at their arrival.
    var futureTelemetry: Int
    /// The timelines that say that they were too large.
    var tooLargeTimelines: Int
    /// What became of readers' positions.
    var positions: PositionCounts
    /// The outcomes of changes, by kind and reason.
    var account: [ReloadCounters]
    /// The records of the changelog that state was restored from, and how long that took.
    var restoredRecords: Int
    var restoreSeconds: Double
    var wallSeconds: Double
    var cpuSeconds: Double
    /// The highest memory use of the process in bytes.
    var peakMemory: Int

    var json: String {
        JSONWriter.object { json in
            json.integer("records", records)
            json.integer("timelines", timelines)
            json.integer("reloads", reloads)
            json.integer("deadLetters", deadLetters)
            json.integer("lateTelemetry", lateTelemetry)
            json.integer("futureTelemetry", futureTelemetry)
            json.integer("tooLargeTimelines", tooLargeTimelines)
            positions.write(to: &json)
            json.integer("restoredRecords", restoredRecords)
            json.number("restoreSeconds", restoreSeconds)
            json.number("wallSeconds", (wallSeconds * 1000).rounded() / 1000)
            json.number("cpuSeconds", (cpuSeconds * 1000).rounded() / 1000)
            json.integer("peakMemory", peakMemory)
            json.key("changes")
            json.beginArray()
            for row in account { row.write(to: &json) }
            json.endArray()
        }
    }

    /// The summary for people: a line for each sort of telemetry and positions that was not used as it came, and a
    /// table of changes by kind and reason. Empty if there was nothing of these.
    var table: [String] { odd + changes }

    private var odd: [String] {
        var lines: [String] = []
        if lateTelemetry > 0 {
            lines.append("telemetry dropped because newer was known of its vehicle: \(lateTelemetry)")
        }
        if futureTelemetry > 0 {
            lines.append("telemetry from the future, counted as observed at its arrival: \(futureTelemetry)")
        }
        if tooLargeTimelines > 0 {
            lines.append("timelines that were too large, and say so: \(tooLargeTimelines)")
        }
        return lines + positions.lines
    }

    private var changes: [String] {
        if account.isEmpty { return [] }
        let counts = ReloadCount.allCases
        let head = ["kind", "reason"] + counts.map(\.rawValue)
        let rows = account.map { row in [row.kind, row.reason.rawValue] + counts.map { String(row[$0]) } }
        let widths = head.indices.map { column in ([head] + rows).map { $0[column].count }.max() ?? 0 }
        return ([head] + rows).map { cells in
            zip(cells, widths).enumerated().map { column, cell in
                let padding = String(repeating: " ", count: cell.1 - cell.0.count)
                return column < 2 ? cell.0 + padding : padding + cell.0
            }.joined(separator: "  ")
        }
    }
}

extension ReloadCounters {
    fileprivate func write(to json: inout JSONWriter) {
        json.beginObject()
        json.string("kind", kind)
        json.string("reason", reason.rawValue)
        for count in ReloadCount.allCases {
            json.key(named: count.rawValue)
            json.integer(self[count])
        }
        json.endObject()
    }
}

extension [ReloadCounters] {
    /// The outcomes of changes of all kinds and reasons together, on one line.
    var line: String {
        ReloadCount.allCases.map { count in "\(count.rawValue)=\(reduce(0) { $0 + $1[count] })" }
            .joined(separator: " ")
    }
}
