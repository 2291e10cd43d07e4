import Messages
import Timelines

extension SourceRecord {
    init(_ message: TelemetryMessage, due: Instant) {
        var json = JSONWriter(reservingCapacity: 256)
        message.write(to: &json)
        self.init(key: Array(message.vehicleId.utf8), value: json.bytes, due: due)
    }
}

extension Double {
    /// To so many decimal digits, 0 to 6.
    func rounded(digits: Int) -> Double {
        let factor = [1, 10, 100, 1e3, 1e4, 1e5, 1e6][digits]
        return (self * factor).rounded() / factor
    }
}
