import Foundation
import RecordLog
import TestSupport
import Testing

/// What the tests of limits share: programs that the system gives little, and floods of records.
enum ResourceWorld {
    static let secret = ["TIDELINE_WEBHOOK_SECRET": "whsec_dGlkZWxpbmUncyBjb21wb3NpdGlvbiBmb3IgdHJpYWxz"]

    /// Starts the program in a shell, after `preparation` there.
    static func start(
        _ words: [String], after preparation: String, with tool: [String] = [], timeout: Duration = .seconds(180)
    ) throws -> ProcessRunner {
        let script = preparation + "\nexec \"$0\" \"$@\""
        let line = tool + ["sh", "-c", script, TidelineExecutable.url.path] + words
        return try ProcessRunner(URL(filePath: "/usr/bin/env"), line, timeout: timeout)
    }

    /// A number of bytes in /proc/PID/status, such as the peak of resident memory (`VmHWM`).
    static func bytes(_ name: String, of runner: ProcessRunner) throws -> Int {
        let file = "/proc/\(runner.processIdentifier)/status"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + ":") })
        return try #require(Int(line.split(whereSeparator: \.isWhitespace)[1])) * 1024
    }

    /// The broker's own process; `nil` where it is none of this machine's.
    static func process(of broker: TestBroker) -> pid_t? {
        guard let file = broker.directory?.appending(path: "pid"),
            let text = try? String(contentsOf: file, encoding: .utf8)
        else { return nil }
        return pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    static func lines(_ text: String, in runner: ProcessRunner) -> [String] {
        runner.errorOutput.split(separator: "\n").map(String.init).filter { $0.contains(text) }
    }
}

extension Application {
    /// Telemetry of a thousand bytes each, in which every vehicle moves on. Written in parts, so that the test holds
    /// little of it.
    func flood(telemetry count: Int, vehicles: Int = 50) async throws {
        let filling = String(repeating: "Long Street ", count: 70)
        let start = Int(Date().timeIntervalSince1970 * 1000) - count
        for part in stride(from: 0, to: count, by: 20_000) {
            let records = (part..<min(part + 20_000, count)).map { number in
                let vehicle = "v\(number % vehicles)"
                let json =
                    #"{"vehicleId":"\#(vehicle)","observedAt":\#(start + number),"ignition":true,"#
                    + #""speed":\#(number / vehicles % 90),"address":"\#(number) \#(filling)"}"#
                return (key: Optional(vehicle), value: Optional(Array(json.utf8)), headers: [Header]())
            }
            try await produce(records, to: "vehicle.telemetry")
        }
    }

    /// Timelines of four kibibytes each, one version after the other of all configurations. They can hardly be
    /// compressed, so that what is read ahead is as long as what was fetched.
    func flood(timelines configurations: Int, versions: Int) async throws {
        var state: UInt64 = 1
        let letters = Array("abcdefghijklmnopqrstuvwxyz012345".utf8)
        let noise = (0..<(1 << 20)).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return letters[Int(state >> 59)]
        }
        let size = 3900
        for version in 1...versions {
            let records = (0..<configurations).map { number in
                let id = "c\(number)"
                let head =
                    #"{"configurationId":"\#(id)","kind":"Board","family":"systemMedium","recipient":"ana","#
                    + #""revision":\#(version),"generatedAt":"2026-11-20T06:25:00Z","entries":[],"filling":""#
                let begin = (number * 7919 + version * 104_729) % (noise.count - size)
                var value = Array(head.utf8)
                value += noise[begin..<begin + size]
                value += Array(#""}"#.utf8)
                return (key: Optional(id), value: Optional(value), headers: [Header]())
            }
            try await produce(records, to: "timelines")
        }
    }

    /// - Parameter isSensitive: true if each change of speed makes a timeline, as it is in a flood of telemetry.
    func configure(vehicles: Int, isSensitive: Bool = false) async throws {
        let sensitivity = isSensitive ? #","sensitivity":{"speed":1}"# : ""
        let lines = (0..<vehicles).map {
            #"{"configurationId":"c\#($0)","kind":"Board","strategy":"status","vehicleId":"v\#($0)","recipient":"ana""#
                + sensitivity + "}"
        }
        try await publish(configurations: lines.joined(separator: "\n"))
    }
}
