import FaultInjection
import Foundation
import TestSupport
import Testing

/// A folder on a small disk of its own, which can be full: of timelines, or of calendars.
final class FilesTarget: TargetUnderTest {
    let guarantee: SinkGuarantee
    private let disk: SmallDisk
    private let suffix: String
    /// What strace has noted of the calls that it holds up; nil before it is to.
    private var heldCalls: URL?
    /// The sink that starts next is held up.
    private var isToBeHeld = false

    /// - Throws: `TestBrokerError` where no file system can be mounted.
    init(_ guarantee: SinkGuarantee) throws {
        self.guarantee = guarantee
        suffix = guarantee.scheme == "files" ? ".json" : ".ics"
        guard let disk = try SmallDisk(at: TemporaryDirectory.make("disk"), megabytes: 8) else {
            throw TestBrokerError("no file system can be mounted here, so no disk can be full")
        }
        self.disk = disk
    }

    var address: String { "\(guarantee.scheme):\(disk.insidePath)" }

    /// Nothing stops a file system of this machine. So one call of the sink that renames a file, in the middle of a
    /// batch, lasts as long as on a disk that stands still. The sink stays the process that was started (`-D`).
    func launcher() -> [String] {
        let words = ["/usr/bin/nsenter"] + disk.prefix
        guard isToBeHeld, let heldCalls else { return words }
        isToBeHeld = false
        let aim = "inject=renameat:delay_enter=6000000:when=100"
        return words
            + ["/usr/bin/strace", "-D", "-f", "-qq", "-o", heldCalls.path, "-e", "trace=renameat", "-e", aim]
    }

    func prepare(for fault: TargetFault) {
        guard fault == .slow else { return }
        heldCalls = TemporaryDirectory.make("held").appending(path: "calls")
        isToBeHeld = true
    }

    func goOn() async throws {
        let calls = try #require(heldCalls)
        let wasHeld = await eventually {
            (try? String(contentsOf: calls, encoding: .utf8).contains("(DELAYED)")) ?? false
        }
        #expect(wasHeld, "\(guarantee.scheme): no call was held up")
    }

    private var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: disk.folder.path).filter {
                !$0.hasPrefix(".") && $0.hasSuffix(suffix)
            }
        }
    }

    /// The newest time at which a file was made, in nanoseconds.
    func progress() throws -> Int {
        try names.reduce(0) { newest, name in
            var status = stat()
            guard stat(disk.folder.appending(path: name).path, &status) == 0 else { return newest }
            return max(newest, status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec)
        }
    }

    func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try names {
            let data = try Data(contentsOf: disk.folder.appending(path: name))
            contents[String(name.dropLast(suffix.count))] = suffix == ".json" ? data : Self.revision(ofCalendar: data)
        }
        return contents
    }

    /// What is in a calendar is compared elsewhere (`CalendarSinkTests`); here it says which version it is of.
    private static func revision(ofCalendar data: Data) -> Data {
        let text = String(decoding: data, as: UTF8.self)
        let isWhole = text.hasPrefix("BEGIN:VCALENDAR\r\n") && text.hasSuffix("END:VCALENDAR\r\n")
        let number = text.firstMatch(of: /X-TIDELINE-REVISION:(\d+)/)?.1
        return Data((isWhole ? number ?? "no revision" : "half a calendar").utf8)
    }

    func shown(_ timeline: Data) throws -> Data {
        guard suffix == ".ics" else { return timeline }
        let object = try JSONSerialization.jsonObject(with: timeline) as? [String: Any]
        return Data("\(object?["revision"] ?? "none")".utf8)
    }

    func takeAway() { disk.fill() }

    func bringBack() { disk.empty() }

    func fill() { takeAway() }

    func makeRoom() { bringBack() }

    func close() { disk.close() }
}
