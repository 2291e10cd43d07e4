import Messages
import TestSupport
import Testing
import Timelines

@Suite struct TelemetryReaderTests {
    @Test("every field of a record is read")
    func everyField() throws {
        let text = """
            {"vehicleId": "bus-1", "observedAt": "2026-11-20T08:25:00.250+02:00", "status": "Charging",
             "ignition": true, "speed": 12.5, "latitude": -30.25, "longitude": 97.75, "heading": 359.5,
             "address": "1 Main St", "customAddressIcon": "depot", "registration": "AB 12", "alias": "Green",
             "series": {"temp": [{"at": 2000, "value": 3}, {"at": 1000, "value": 2}], "fuel": []}}
            """
        var expected = Vehicle(vehicleId: "bus-1")
        expected.registration = "AB 12"
        expected.alias = "Green"
        expected.customAddressIcon = "depot"
        expected.status = .charging
        expected.speed = 12.5
        expected.latitude = -30.25
        expected.longitude = 97.75
        expected.heading = 359.5
        expected.address = "1 Main St"
        expected.observedAt = instant("2026-11-20T06:25:00.250Z")
        expected.series = [
            .init(name: "fuel", points: []),
            .init(
                name: "temp",
                points: [
                    .init(at: Instant(milliseconds: 1000), value: 2), .init(at: Instant(milliseconds: 2000), value: 3),
                ]),
        ]
        #expect(try vehicle(text).0 == expected)
    }

    @Test("identifiers may be numbers, instants milliseconds, keys and texts may have escapes, the last of two counts")
    func forms() throws {
        let text = #"{"vehi\u0063leId": 4711, "observedAt": 1, "observedAt": 1500, "alias": "\u00e9\ud83d\ude8c\"\n"}"#
        let made = try vehicle(text).0
        #expect(made.vehicleId == "4711")
        #expect(made.alias == "é🚌\"\n")
        var reader = TelemetryReader()
        let observedAt = try withBytes(text) { bytes throws(MessageProblem) in try reader.read(bytes).observedAt }
        #expect(observedAt == Instant(milliseconds: 1500))
    }

    @Test("Confluent framing is skipped")
    func framing() throws {
        #expect(try vehicle("\0\0\0\0\u{7}" + #"{"vehicleId": "v", "observedAt": 1}"#).0.vehicleId == "v")
    }

    @Test(
        "the status follows from ignition and speed where the record names none",
        arguments: [
            (#""ignition": false, "speed": 50"#, VehicleStatus.ignitionOff), (#""ignition": false"#, .ignitionOff),
            (#""speed": 3"#, .moving), (#""ignition": true, "speed": 3"#, .moving),
            (#""ignition": true, "speed": 2.9"#, .idling), (#""ignition": true"#, .idling),
            (#""speed": 2.9"#, .stopped), (#""latitude": 1, "longitude": 2"#, .stopped),
            (#""status": "Offline", "ignition": true, "speed": 80"#, .offline),
            (#""status": null, "ignition": null, "speed": 80"#, .moving),
        ])
    func status(fields: String, status: VehicleStatus) throws {
        #expect(try vehicle(#"{"vehicleId": "v", "observedAt": 1, \#(fields)}"#).0.status == status)
    }

    @Test(
        "what is wrong is named with its field and what is allowed",
        arguments: [
            ("", "The message is not valid JSON in UTF-8."),
            ("{\"vehicleId\": \"v\", \"observedAt\": 1", "The message is not valid JSON in UTF-8."),
            (#"{"vehicleId": "v", "observedAt": 1} x"#, "The message is not valid JSON in UTF-8."),
            (#"{"vehicleId": "v", "observedAt": 1, "ignored": tru}"#, "The message is not valid JSON in UTF-8."),
            (#"{"vehicleId": "v", "observedAt": 1, "ignored": "\x"}"#, "The message is not valid JSON in UTF-8."),
            (#"{"vehicleId": "v", "observedAt": 1, "ignored": 01}"#, "The message is not valid JSON in UTF-8."),
            ("[1]", "The message is not a JSON object."),
            (#"{"observedAt": 1}"#, "vehicleId: is missing"),
            (#"{"vehicleId": null, "observedAt": 1}"#, "vehicleId: is missing"),
            (#"{"vehicleId": "", "observedAt": 1}"#, "vehicleId: must be text that is not empty, or a number"),
            (#"{"vehicleId": true, "observedAt": 1}"#, "vehicleId: must be text that is not empty, or a number"),
            (#"{"vehicleId": "v"}"#, "observedAt: is missing"),
            (
                #"{"vehicleId": "v", "observedAt": "2026-02-30T00:00:00Z"}"#,
                "observedAt: must be an RFC 3339 date-time with offset, or whole milliseconds since 1970"
            ),
            (
                #"{"vehicleId": "v", "observedAt": 1.5}"#,
                "observedAt: must be an RFC 3339 date-time with offset, or whole milliseconds since 1970"
            ),
            (
                #"{"vehicleId": "v", "observedAt": 1, "status": "moving"}"#,
                "status: must be one of Moving, Idling, Stopped, IgnitionOff, Charging, Offline"
            ),
            (#"{"vehicleId": "v", "observedAt": 1, "ignition": "on"}"#, "ignition: must be true or false"),
            (#"{"vehicleId": "v", "observedAt": 1, "speed": -1}"#, "speed: must be a number of km/h, 0 or more"),
            (#"{"vehicleId": "v", "observedAt": 1, "speed": 1e400}"#, "speed: must be a number of km/h, 0 or more"),
            (#"{"vehicleId": "v", "observedAt": 1, "speed": "5"}"#, "speed: must be a number of km/h, 0 or more"),
            (
                #"{"vehicleId": "v", "observedAt": 1, "latitude": 90.01}"#,
                "latitude: must be a number of degrees from -90 to 90"
            ),
            (
                #"{"vehicleId": "v", "observedAt": 1, "longitude": -181}"#,
                "longitude: must be a number of degrees from -180 to 180"
            ),
            (
                #"{"vehicleId": "v", "observedAt": 1, "heading": 361}"#,
                "heading: must be a number of degrees from 0 to 360"
            ),
            (#"{"vehicleId": "v", "observedAt": 1, "latitude": 5}"#, "longitude: is missing"),
            (#"{"vehicleId": "v", "observedAt": 1, "latitude": null, "longitude": 5}"#, "latitude: is missing"),
            (#"{"vehicleId": "v":1, "observedAt": 1}"#, "The message is not valid JSON in UTF-8."),
            (#"{"vehicleId": "v", "observedAt": 1, "ignored": "x": 1}"#, "The message is not valid JSON in UTF-8."),
            (#"{"vehicleId": "v", "observedAt": 1, "alias": 7}"#, "alias: must be text"),
            (
                #"{"vehicleId": "v", "observedAt": 1, "series": []}"#,
                "series: must be an object of lists {name: [{at, value}]}"
            ),
            (
                #"{"vehicleId": "v", "observedAt": 1, "series": {"fuel": [{"at": 1, "value": "x"}]}}"#,
                "series.fuel[0].value: must be a number"
            ),
            (
                #"{"vehicleId": "v", "observedAt": 1, "series": {"fuel": [{"value": 1}]}}"#,
                "series.fuel[0].at: is missing"
            ),
        ])
    func problems(text: String, problem: String) {
        #expect(throws: MessageProblem.self, "\(text)") { try vehicle(text) }
        #expect(reason { () throws(MessageProblem) in _ = try vehicle(text) } == problem, "\(text)")
    }

    @Test("a text that is not UTF-8 is refused")
    func notUTF8() {
        var bytes = Array(#"{"vehicleId": "vX", "observedAt": 1}"#.utf8)
        bytes[bytes.firstIndex(of: UInt8(ascii: "X"))!] = 0xFF
        var reader = TelemetryReader()
        #expect(throws: MessageProblem(.unreadable, "The message is not valid JSON in UTF-8.")) {
            try bytes.withUnsafeBytes { bytes in _ = try reader.read(bytes) }
        }
    }

    @Test("a reader reads on after a problem, and after a record larger than any before")
    func readsOn() throws {
        var reader = TelemetryReader()
        for (index, length) in [10, 100_000, 20].enumerated() {
            _ = withBytes("{") { bytes in try? reader.read(bytes) }
            let alias = String(repeating: "é", count: length)
            let text = #"{"vehicleId": \#(index), "observedAt": 1, "alias": "\#(alias)"}"#
            try withBytes(text) { bytes throws(MessageProblem) in
                let record = try reader.read(bytes)
                #expect(record.vehicleId == String(index))
                guard case .replaced(let read) = record.alias else {
                    Issue.record("no alias")
                    return
                }
                #expect(read == alias)
            }
        }
    }

    @Test("instants are read as everywhere else")
    func instantsAgree() throws {
        var generator = SplitMix64(seed: 2026)
        for _ in 0..<20_000 {
            let text = instantText(&generator)
            let expected = Instant(rfc3339: text)
            let read = try? vehicle(#"{"vehicleId": "v", "observedAt": "\#(text)", "speed": 0}"#).0.observedAt
            #expect(read == expected, "\(text)")
        }
    }

    /// Mostly date-times, some of them impossible or with a letter changed.
    private func instantText(_ generator: inout SplitMix64) -> String {
        func digits(_ range: ClosedRange<Int>, _ count: Int) -> String {
            let digits = String(Int.random(in: range, using: &generator))
            return String(repeating: "0", count: max(0, count - digits.count)) + digits
        }
        let years = [0...1, 1900...2100, 9999...9999].randomElement(using: &generator)!
        var text = digits(years, 4) + "-" + digits(1...12, 2) + "-" + digits(1...31, 2)
        text += ["T", "t", "T"].randomElement(using: &generator)!
        text += digits(0...24, 2) + ":" + digits(0...59, 2) + ":" + digits(0...60, 2)
        let places = [0, 1, 3, 9].randomElement(using: &generator)!
        if places > 0 { text += "." + digits(0...99_999, places) }
        let offset = digits(0...24, 2) + ":" + digits(0...60, 2)
        text += ["Z", "z", "+00:00", "+" + offset, "-" + offset].randomElement(using: &generator)!
        if Int.random(in: 0..<8, using: &generator) == 0 {
            var letters = Array(text)
            letters[Int.random(in: 0..<letters.count, using: &generator)] = "x:-.0 ".randomElement(using: &generator)!
            text = String(letters)
        }
        return text
    }
}

/// The problem's text; nil where there is none.
func reason(_ body: () throws(MessageProblem) -> Void) -> String? {
    do {
        try body()
        return nil
    } catch {
        return error.description
    }
}
