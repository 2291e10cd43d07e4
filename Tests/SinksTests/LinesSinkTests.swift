import Foundation
import Glibc
import RecordLog
import Simulation
import Sinks
import TestSupport
import Testing

@Suite("The sink of lines")
struct LinesSinkTests {
    private typealias Contract = TimelineSinkContract

    private let pipe = Pipe()

    init() { signal(SIGPIPE, SIG_IGN) }

    private var descriptor: Int32 { pipe.fileHandleForWriting.fileDescriptor }

    private func lines(_ sink: LinesSink) throws -> [Substring] {
        try sink.flush()
        return String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self).split(separator: "\n")
    }

    @Test("keeps the contract of a sink that does not look at what its target holds, whose last line counts")
    func contract() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/lines"
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_APPEND, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        try Contract(
            reopen: { LinesSink(descriptor: file) },
            content: { id in
                let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
                let last = lines.last { $0.hasPrefix(#"{"configurationId":"\#(id)""#) }
                return last.flatMap { $0.hasSuffix(#""deleted":true}"#) ? nil : String($0) }
            }, readsItsTarget: false, keepsItsPositions: false
        ).check()
    }

    @Test("a timeline is one line, as it is; what is gone, or not for it, is a line as well")
    func forms() throws {
        let sink = LinesSink(descriptor: descriptor)
        let value = Contract.timeline("a", revision: 1)
        #expect(try sink.write(Contract.record("a", value, offset: 0)) == .written)
        #expect(try sink.write(Contract.record("b", value.replacing(",", with: ",\r\n"), offset: 1)) == .written)
        #expect(try sink.write(Contract.record("c\"", nil, offset: 2)) == .removed)
        #expect(try sink.write(Contract.record("a", value, offset: 3, sinks: "files")) == .removed)
        #expect(try sink.write(Contract.record("a", value, offset: 4, sinks: "files,stdout")) == .written)
        for bad in ["", "{", "[]", value + "}"] {
            #expect(throws: SinkError.self) { try sink.write(Contract.record("d", bad, offset: 5)) }
        }
        try sink.keep([0: SinkPosition(next: Offset(6))], of: "timelines")
        #expect(
            try lines(sink) == [
                value[...], value.replacing(",", with: ",  ")[...], #"{"configurationId":"c\"","deleted":true}"#,
                #"{"configurationId":"a","deleted":true}"#, value[...],
            ])
        #expect(try sink.positions(of: "timelines").isEmpty)
    }

    @Test("a reader who takes nothing holds it up and loses nothing, once they go on")
    func slowReader() throws {
        let sink = LinesSink(descriptor: descriptor, patience: .milliseconds(200))
        let value = Contract.timeline("a", revision: 1)
        var (taken, held) = (0, 0)
        while held == 0 {
            do {
                _ = try sink.write(Contract.record("a", value, offset: Int64(taken)))
                taken += 1
            } catch {
                #expect(error.isUnavailable && "\(error)".contains("its reader takes nothing"))
                held += 1
            }
        }
        var text = Data()
        while true {
            text += pipe.fileHandleForReading.availableData
            if (try? sink.flush()) != nil { break }
        }
        try pipe.fileHandleForWriting.close()
        text += try pipe.fileHandleForReading.readToEnd() ?? Data()
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == taken && Set(lines) == [value[...]])
    }

    @Test("a reader who is asked to wait no more is not waited for")
    func stopped() throws {
        let sink = LinesSink(descriptor: descriptor, patience: .seconds(600), shouldStop: { true })
        let record = Contract.record("a", Contract.timeline("a", revision: 1), offset: 0)
        #expect(throws: SinkError.self) { while true { _ = try sink.write(record) } }
    }

    @Test("a closed pipe is noticed, before or at a write, and what is written then goes nowhere")
    func closed() throws {
        let sink = LinesSink(descriptor: descriptor)
        #expect(!sink.isClosed)
        _ = try sink.write(Contract.record("a", Contract.timeline("a", revision: 1), offset: 0))
        try pipe.fileHandleForReading.close()
        // A program that another test is just starting holds the other end, too, until it runs.
        for _ in 0..<1000 where !sink.isClosed { usleep(10_000) }
        #expect(sink.isClosed)
        try sink.flush()
        try sink.flush()
    }
}
