import Messages
import Timelines

/// Recorded telemetry, replayed as it lies in its files, one after the other. Files may be gzip, whatever their name.
package final class TelemetryReplay: RecordSource {
    private let format: Format
    private let files: [String]
    private var index = 0
    private var current: (any RecordSource)?

    /// The recordings that can be read.
    package enum Format: String, CaseIterable, Sendable {
        /// Buses: comma-separated, m/s (see `CapmetricsReplay`).
        case capmetrics
        /// Private cars: semicolons and decimal commas (see `NDSBRReplay`).
        case ndsbr
    }

    /// - Parameter files: paths of recordings, in the order in which they are replayed; `-` is standard input.
    package init(files: [String], format: Format) {
        self.files = files
        self.format = format
    }

    /// Each file counts the same.
    package var fractionDone: Double? {
        guard index < files.count else { return 1 }
        return (Double(index) + (current?.fractionDone ?? 0)) / Double(files.count)
    }

    package func next() throws(InputProblem) -> SourceRecord? {
        while index < files.count {
            if current == nil { current = try open(files[index]) }
            if let record = try current?.next() { return record }
            current = nil
            index += 1
        }
        return nil
    }

    private func open(_ file: String) throws(InputProblem) -> any RecordSource {
        switch format {
        case .capmetrics: try CapmetricsReplay(file: file)
        case .ndsbr: try NDSBRReplay(file: file)
        }
    }
}

extension SourceRecord {
    init(_ message: TelemetryMessage, due: Instant) {
        var json = JSONWriter(reservingCapacity: 256)
        message.write(to: &json)
        self.init(key: Array(message.vehicleId.utf8), value: json.bytes, due: due)
    }
}

extension Double {
    /// The number rounded to decimal digits, 0 to 6 of them.
    func rounded(digits: Int) -> Double {
        let factor = [1, 10, 100, 1e3, 1e4, 1e5, 1e6][digits]
        return (self * factor).rounded() / factor
    }
}
