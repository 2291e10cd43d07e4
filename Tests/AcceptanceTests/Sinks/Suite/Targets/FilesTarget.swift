import FaultInjection
import Foundation
import TestSupport
import Testing

/// A folder on a small disk of its own, which can be full: of timelines, a folder for each recipient or one for all, or
/// of calendars.
final class FilesTarget: TargetUnderTest {
    let guarantee: SinkGuarantee
    /// There is none where no file system can be mounted.
    private let disk: SmallDisk?
    /// As this process sees it.
    private let folder: URL
    private let suffix: String
    /// What strace has noted of the calls that it holds up; nil before it is to.
    private var heldCalls: URL?
    /// The sink that starts next is held up.
    private var isToBeHeld = false

    init(_ guarantee: SinkGuarantee) throws {
        suffix = guarantee.scheme == "ics" ? ".ics" : ".json"
        let disk = try SmallDisk(at: TemporaryDirectory.make("disk"), megabytes: 8)
        self.disk = disk
        folder = disk?.folder ?? TemporaryDirectory.make("files")
        var guarantee = guarantee
        if disk == nil { (guarantee.outage, guarantee.full) = (nil, nil) }
        self.guarantee = guarantee
    }

    private var isByRecipient: Bool { guarantee.variantOf != nil }
    var address: String {
        let scheme = guarantee.variantOf ?? guarantee.scheme
        return "\(scheme):\(disk?.insidePath ?? folder.path)" + (isByRecipient ? "?by=recipient" : "")
    }

    /// Nothing stops a file system of this machine. So one call of the sink that renames a file, in the middle of a
    /// batch, lasts as long as on a disk that stands still. The sink stays the process that was started (`-D`).
    func launcher() -> [String] {
        let words = disk.map { ["/usr/bin/nsenter"] + $0.prefix } ?? []
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

    /// The files' paths in the folder.
    private var paths: [String] {
        get throws {
            let names = try Self.names(in: folder)
            guard isByRecipient else { return names.filter { $0.hasSuffix(suffix) } }
            return try names.flatMap { recipient in
                let files = try Self.names(in: folder.appending(path: recipient)).filter { $0.hasSuffix(suffix) }
                return files.map { "\(recipient)/\($0)" }
            }
        }
    }

    /// What begins with a dot is the sink's own.
    private static func names(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
    }

    /// The newest time at which a file was made, in nanoseconds.
    func progress() throws -> Int {
        try paths.reduce(0) { newest, path in
            var status = stat()
            guard stat(folder.appending(path: path).path, &status) == 0 else { return newest }
            return max(newest, status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec)
        }
    }

    func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for path in try paths {
            let data = try Data(contentsOf: folder.appending(path: path))
            let id = String((path.split(separator: "/").last ?? "").dropLast(suffix.count))
            #expect(contents[id] == nil, "\(id) is in the folders of two recipients")
            contents[id] = suffix == ".json" ? data : Self.revision(ofCalendar: data)
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

    func takeAway() { disk?.fill() }

    func bringBack() { disk?.empty() }

    func fill() { takeAway() }

    func makeRoom() { bringBack() }

    func close() { disk?.close() }
}
