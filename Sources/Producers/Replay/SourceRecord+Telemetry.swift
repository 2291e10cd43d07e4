import Messages
import RecordLog
import Timelines

extension SourceRecord {
    init(_ message: TelemetryMessage, due: Instant) {
        self.init(key: Array(message.vehicleId.utf8), value: message.json, due: due)
    }
}

extension Double {
    func rounded(digits: Int) -> Double {
        let factor = [1, 10, 100, 1e3, 1e4, 1e5, 1e6][digits]
        return (self * factor).rounded() / factor
    }
}
