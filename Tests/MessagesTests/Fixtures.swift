import Messages
import TestSupport
import Timelines

extension SplitMix64 {
    /// Text with what JSON has to escape, and with letters of one to four bytes.
    mutating func text() -> String {
        let letters: [Character] = ["a", "Z", "7", " ", "\"", "\\", "/", "\n", "\t", "\u{1}", "é", "漢", "🚌"]
        return String((0..<Int.random(in: 1...24, using: &self)).map { _ in letters.randomElement(using: &self)! })
    }

    mutating func maybe<Value>(_ value: (inout SplitMix64) -> Value) -> Value? {
        Bool.random(using: &self) ? value(&self) : nil
    }
}

/// Calls `body` with the text's bytes.
func withBytes<Result, Failure: Error>(
    _ text: String, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
) throws(Failure) -> Result {
    let bytes = Array(text.utf8)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { buffer.deallocate() }
    buffer.copyBytes(from: bytes)
    return try body(UnsafeRawBufferPointer(buffer))
}

/// The text that a writer writes.
func json(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    write(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
}

extension JSONParser {
    mutating func value(_ text: String) throws(MessageProblem) -> ParameterValue {
        try withBytes(text) { bytes throws(MessageProblem) in try value(bytes) }
    }
}

/// The vehicle that a record makes of one of which nothing was known.
func vehicle(_ text: String, from known: Vehicle? = nil) throws(MessageProblem) -> (Vehicle, TelemetryOutcome) {
    var reader = TelemetryReader()
    return try withBytes(text) { bytes throws(MessageProblem) in
        let record = try reader.read(bytes)
        var vehicle = known ?? Vehicle(vehicleId: String(record.vehicleId))
        let outcome = record.apply(to: &vehicle)
        return (vehicle, outcome)
    }
}

func configuration(_ text: String) throws(MessageProblem) -> ConfigurationMessage {
    var parser = JSONParser()
    return try withBytes(text) { bytes throws(MessageProblem) in
        try ConfigurationMessage.decode(bytes, with: &parser)
    }
}

func instant(_ text: String) -> Instant {
    guard let instant = Instant(rfc3339: text) else { preconditionFailure("\(text) is no instant") }
    return instant
}
