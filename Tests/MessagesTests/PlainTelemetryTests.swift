import Messages
import TestSupport
import Testing
import Timelines

/// Records of the plain kind are read by a reader of their own. A tab before a record makes it one that simdjson reads.
/// That plain records are not left to simdjson as well is held by `make counts`.
@Suite("Telemetry that is written plainly")
struct PlainTelemetryTests {
    @Test("says what simdjson reads of it, to the last bit", arguments: 0..<4)
    func drawn(seed: UInt64) {
        var draws = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            let record = Self.record(&draws)
            let plain = Reading(record)
            #expect(plain == Reading("\t" + record), "\(record)")
            #expect(plain.problem == nil, "\(record)")
        }
    }

    @Test("with a byte changed, taken out or put in, says what simdjson says of it", arguments: 0..<4)
    func mutated(seed: UInt64) {
        var draws = SplitMix64(seed: seed)
        let bytes = Array("\"\\{}[]:,.-+ eE0123456789tfn\n\u{0}\u{1f}é".utf8)
        var problems = 0
        for _ in 0..<5_000 {
            var record = Array(Self.record(&draws).utf8)
            for _ in 0...Int.random(in: 0...1, using: &draws) {
                // A record that begins with a null is framed.
                let place = Int.random(in: 1..<record.count, using: &draws)
                switch Int.random(in: 0..<3, using: &draws) {
                case 0: record[place] = bytes.randomElement(using: &draws)!
                case 1: record.insert(bytes.randomElement(using: &draws)!, at: place)
                default: record.remove(at: place)
                }
            }
            let plain = Reading(record)
            #expect(plain == Reading([UInt8(ascii: "\t")] + record), "\(String(decoding: record, as: UTF8.self))")
            if plain.problem != nil { problems += 1 }
        }
        #expect((1_000...4_000).contains(problems), "Both kinds occur, often.")
    }

    @Test(
        "numbers are the nearest double",
        arguments: [
            "0", "-0", "-0.0", "0.1", "-12.345678", "52.520008", "0.000001", "89.99999999999999", "9007199254740992",
            "9007199254740993", "0.30000000000000004", "0.000000000000000001", "123456789012345678", "1e2", "1.5E-3",
            "0.1234567890123456789012345", "0.00000000000000000000012345", "33.1234567890123456789012345",
            "0." + String(repeating: "0", count: 400) + "1", "1e-400",
        ])
    func numbers(text: String) {
        let reading = Reading(#"{"vehicleId":"v","observedAt":1,"speed":\#(text)}"#)
        guard !text.hasPrefix("-12") else { return #expect(reading.problem != nil) }
        #expect(reading.speed?.bitPattern == Double(text)?.bitPattern)
    }

    /// What a record says.
    private struct Reading: Equatable {
        var vehicleId: [UInt8] = []
        var observedAt: Instant?
        var status: VehicleStatus?
        var ignition: Bool?
        var speed, latitude, longitude, heading: Double?
        var texts: [String] = []
        var problem: String?

        init(_ text: String) { self.init(Array(text.utf8)) }

        init(_ bytes: [UInt8]) {
            var reader = TelemetryReader()
            do throws(MessageProblem) {
                // As `withBytes`: nothing of the test's lies behind the bytes.
                let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
                defer { buffer.deallocate() }
                buffer.copyBytes(from: bytes)
                let view = try reader.read(UnsafeRawBufferPointer(buffer))
                vehicleId = Array(view.vehicleId.utf8)
                observedAt = view.observedAt
                status = view.status
                ignition = view.ignition
                (speed, latitude, longitude, heading) = (view.speed, view.latitude, view.longitude, view.heading)
                texts = [
                    view.address.map { String($0) } ?? "none", Self.text(view.registration), Self.text(view.alias),
                    Self.text(view.customAddressIcon), "\(view.isMasterData)",
                ]
            } catch {
                problem = "\(error)"
            }
        }

        private static func text(_ change: TelemetryChange<TelemetryText>) -> String {
            switch change {
            case .unchanged: "unchanged"
            case .cleared: "cleared"
            case .replaced(let text): "replaced by \(String(text))"
            }
        }
    }

    /// A record as programs write it: fields in any order, some twice, some of nobody's, with blanks or without.
    private static func record(_ draws: inout SplitMix64) -> String {
        let latitude = number(90, &draws)
        let vehicleId = Bool.random(using: &draws) ? text(&draws) : "\(Int.random(in: 0...9999, using: &draws))"
        var members = [
            #""vehicleId":\#(vehicleId)"#,
            #""observedAt":\#(instant(&draws))"#, #""latitude":\#(latitude)"#, #""longitude":\#(number(180, &draws))"#,
        ]
        for _ in 0..<Int.random(in: 0...8, using: &draws) { members.append(member(&draws)) }
        members.shuffle(using: &draws)
        let separator = Bool.random(using: &draws) ? ", " : ","
        return "{" + members.joined(separator: separator) + "}"
    }

    private static func member(_ draws: inout SplitMix64) -> String {
        let names = ["address", "registration", "alias", "customAddressIcon", "driver", "vehicle"]
        let statuses = ["Moving", "Idling", "Stopped", "IgnitionOff", "Charging", "Offline"]
        return switch Int.random(in: 0..<8, using: &draws) {
        case 0: #""status": "\#(statuses.randomElement(using: &draws)!)""#
        case 1: #""ignition":\#(Bool.random(using: &draws))"#
        case 2: #""speed":\#(number(200, &draws).drop { $0 == "-" })"#
        case 3: #""heading":\#(number(360, &draws).drop { $0 == "-" })"#
        case 4: #""odometer":\#(Int64.random(in: -1_000_000_000_000_000...1_000_000_000_000_000, using: &draws))"#
        case 5: #""\#(names.randomElement(using: &draws)!)" : null"#
        default: #""\#(names.randomElement(using: &draws)!)":\#(text(&draws))"#
        }
    }

    private static func number(_ limit: Double, _ draws: inout SplitMix64) -> String {
        let scale = [1, 10, 1e6, 1e14].randomElement(using: &draws)!
        let value = Double.random(in: -limit...limit, using: &draws)
        let number = (value * scale).rounded() / scale
        return number == number.rounded() ? String(Int(number)) : "\(number)".contains("e") ? "0.5" : "\(number)"
    }

    private static func instant(_ draws: inout SplitMix64) -> String {
        let milliseconds = Int64.random(in: 0...4_000_000_000_000, using: &draws)
        return Bool.random(using: &draws)
            ? "\(milliseconds)" : #""\#(Instant(milliseconds: milliseconds).rfc3339)""#
    }

    private static func text(_ draws: inout SplitMix64) -> String {
        let letters: [Character] = ["a", "Z", "7", " ", "/", "'", "{", "é", "漢", "🚌"]
        let length = Int.random(in: 1...30, using: &draws)
        return "\"" + String((0..<length).map { _ in letters.randomElement(using: &draws)! }) + "\""
    }
}
