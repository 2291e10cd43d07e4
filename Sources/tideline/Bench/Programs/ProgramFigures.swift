import Foundation
import Observability

/// What a program used, and what it says of its work.
struct ProgramFigures: Equatable {
    var cpuSeconds: Double
    var wallSeconds: Double
    /// In bytes.
    var peakMemory: Int
    var records: Int?
    var recordsPerSecond: Double?
    var restoredRecords: Int?
    var restoreSeconds: Double?

    /// What the system counted.
    init(usage: ProcessUsage, wallSeconds: Double) {
        cpuSeconds = usage.cpuSeconds
        peakMemory = usage.peakMemory
        self.wallSeconds = wallSeconds
    }

    /// Takes over what the summary of `tideline process` says.
    ///
    /// - Returns: false if the text is no such summary.
    mutating func readSummary(_ text: String) -> Bool {
        guard let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
            let cpu = object["cpuSeconds"] as? Double, let wall = object["wallSeconds"] as? Double,
            let peak = object["peakMemory"] as? Int, let count = object["records"] as? Int
        else { return false }
        (cpuSeconds, wallSeconds, peakMemory, records) = (cpu, wall, peak, count)
        recordsPerSecond = wall > 0 ? Double(count) / wall : nil
        restoredRecords = object["restoredRecords"] as? Int
        restoreSeconds = object["restoreSeconds"] as? Double
        return true
    }

    /// Takes over the figures that a text has as `name=number`: `cpu_s`, `wall_s`, `records`, `records_per_s`, and
    /// `rss_peak` in kB. Others stay as they are.
    mutating func readWords(_ text: String) {
        let words = Self.words(of: text)
        cpuSeconds = words["cpu_s"] ?? cpuSeconds
        wallSeconds = words["wall_s"] ?? wallSeconds
        peakMemory = words["rss_peak"].map { Int($0 * 1024) } ?? peakMemory
        records = words["records"].map { Int($0) } ?? records
        let rate = records.flatMap { wallSeconds > 0 ? Double($0) / wallSeconds : nil }
        recordsPerSecond = words["records_per_s"] ?? rate
    }

    /// Takes over what the lines `restored partition=P records=N seconds=S` of a text say, one for each partition.
    ///
    /// - Returns: the number of these lines.
    mutating func readRestored(_ text: String) -> Int {
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("restored ") }.map { Self.words(of: String($0)) }
        guard !lines.isEmpty else { return 0 }
        restoredRecords = lines.reduce(0) { $0 + Int($1["records"] ?? 0) }
        restoreSeconds = lines.reduce(0) { $0 + ($1["seconds"] ?? 0) }
        return lines.count
    }

    /// The numbers of a text by the names before them; what follows a number's digits is left out.
    private static func words(of text: String) -> [String: Double] {
        var words: [String: Double] = [:]
        for match in text.matches(of: /(\w+)=([0-9]+(?:\.[0-9]+)?)/) {
            words[String(match.1)] = Double(match.2)
        }
        return words
    }

    /// CPU seconds per million of so many records.
    func cpuSecondsPerMillion(of records: Int) -> Double {
        cpuSeconds / Double(max(records, 1)) * 1e6
    }

    var peakMegabytes: Double { Double(peakMemory) / 1e6 }

    var restoredPerSecond: Double? {
        guard let restoredRecords, let restoreSeconds, restoreSeconds > 0 else { return nil }
        return Double(restoredRecords) / restoreSeconds
    }
}
