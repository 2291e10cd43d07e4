import Foundation
import Observability
import Synchronization
import Testing

@Suite("Log")
struct LogTests {
    private let output = Recorded<String>()
    private let time = Date(timeIntervalSince1970: 1_795_155_900.123)

    private func logger(
        level: Logger.Level = .info, format: StreamLogHandler.Format = .text, colored: Bool = false
    ) -> Logger {
        let stream = LogStream { [output] in output.append($0) }
        return Logger(label: "task 3") { label in
            StreamLogHandler(label: label, level: level, format: format, colored: colored, stream: stream) { [time] in
                time
            }
        }
    }

    @Test("A text record is one line: time, level, message, metadata in the order of its keys")
    func textRecord() {
        logger().info("committed", metadata: ["partition": "3", "age": "1.2 s", "empty": ""])
        #expect(
            output.elements == [
                "2026-11-20T06:25:00.123Z info     committed age=\"1.2 s\" empty=\"\" partition=3\n"
            ])
    }

    @Test("A text record stays one line whatever is logged")
    func textRecordStaysOneLine() {
        logger().warning("two\nlines\u{1B}[2J", metadata: ["key": "a\r\n\"b\"\\"])
        #expect(
            output.elements == [
                #"2026-11-20T06:25:00.123Z warning  two\nlines\u001b[2J key="a\r\n\"b\"\\""# + "\n"
            ])
    }

    @Test("A JSON record is one object that gives back every text as it was")
    func jsonRecord() throws {
        let text = "quote \" backslash \\ newline \n bell \u{07} umlaut ü emoji 🚌"
        logger(format: .json).error(
            "\(text)",
            metadata: ["text": .string(text), "list": ["1", ["deep": "2"]], "number": .number(7)])
        let line = try #require(output.elements.first)
        #expect(line.hasSuffix("}\n"))
        #expect(line.filter { $0 == "\n" }.count == 1)
        let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["time"] as? String == "2026-11-20T06:25:00.123Z")
        #expect(object["level"] as? String == "error")
        #expect(object["logger"] as? String == "task 3")
        #expect(object["message"] as? String == text)
        let metadata = try #require(object["metadata"] as? [String: Any])
        #expect(metadata["text"] as? String == text)
        #expect(metadata["number"] as? Int == 7)
        let list = try #require(metadata["list"] as? [Any])
        #expect(list.first as? String == "1")
        #expect(list.last as? [String: String] == ["deep": "2"])
    }

    @Test("Numbers stay numbers in JSON, however deep; a text that looks like one stays a text")
    func numbers() throws {
        let tasks: [Int32] = [0, 3]
        let metadata: Logger.Metadata = [
            "count": .number(UInt64.max), "rate": .number(2.0 / 3), "ageMs": .milliseconds(.microseconds(1_234_999)),
            "tasks": .numbers(tasks), "lag": ["a": .number(-1)], "isSet": .stringConvertible(true), "text": "12",
            "infinite": .number(Double.infinity),
        ]
        logger(format: .json).info("m", metadata: metadata)
        let line = try #require(output.elements.first)
        let expected =
            #""metadata":{"ageMs":1234,"count":18446744073709551615,"infinite":"inf","isSet":true,"lag":{"a":-1},"#
            + #""rate":0.667,"tasks":[0,3],"text":"12"}}"#
        #expect(line.hasSuffix(expected + "\n"), "\(line)")
        logger().info("m", metadata: metadata)
        #expect(output.elements.last?.contains("ageMs=1234") == true)
        #expect(output.elements.last?.contains(#"tasks="[0, 3]""#) == true)
    }

    @Test("Below the level nothing is written and no message is made")
    func levels() {
        var made = 0
        func message() -> String {
            made += 1
            return "made"
        }
        let logger = logger(level: .warning)
        logger.info("\(message())")
        #expect(made == 0)
        logger.warning("\(message())")
        logger.critical("\(message())")
        #expect(made == 2)
        #expect(output.elements.count == 2)
        #expect(Logger.Level.allCases == Logger.Level.allCases.sorted())
    }

    @Test("A copy's level and metadata are its own, and a record's own metadata wins")
    func copies() {
        let first = logger()
        var second = first
        second[metadataKey: "task"] = "5"
        second.logLevel = .error
        first.info("first")
        second.error("second", metadata: ["task": "6"])
        second.error("third")
        #expect(first.logLevel == .info)
        #expect(
            output.elements.map { $0.dropFirst(25) } == [
                "info     first\n", "error    second task=6\n", "error    third task=5\n",
            ])
    }

    @Test("Every millisecond is written as it is")
    func milliseconds() throws {
        for millisecond in 0..<1000 {
            let output = Recorded<String>()
            let handler = StreamLogHandler(label: "", stream: LogStream { output.append($0) }) {
                Date(timeIntervalSince1970: 1_795_155_900 + Double(millisecond) / 1000)
            }
            handler.log(level: .info, message: "", metadata: nil)
            let line = try #require(output.elements.first)
            let digits = String(1000 + millisecond).dropFirst()
            #expect(line.hasPrefix("2026-11-20T06:25:00.\(digits)Z"))
        }
    }

    @Test("Colors mark the level alone, and only where they are asked for")
    func colors() {
        logger(colored: true).error("message")
        #expect(output.elements == ["2026-11-20T06:25:00.123Z \u{1B}[31merror   \u{1B}[0m message\n"])
    }

    @Test("A handler that drops all writes nothing")
    func noOp() {
        var logger = Logger(label: "none", handler: NoOpLogHandler())
        logger.logLevel = .trace
        logger.critical("unheard")
        #expect(logger.logLevel == .trace)
        #expect(output.elements.isEmpty)
    }
}

@Suite("Log stream")
struct LogStreamTests {
    @Test("Lines of many threads never mix")
    func threads() async {
        let output = Recorded<String>()
        let stream = LogStream { output.append($0) }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for line in 0..<250 { stream.writeLine("\(task) \(line)") }
                }
            }
        }
        let lines = output.elements
        #expect(lines.count == 1000)
        #expect(Set(lines) == Set((0..<4).flatMap { task in (0..<250).map { "\(task) \($0)\n" } }))
    }

    @Test("A status line makes room for a line and comes back below it")
    func status() {
        let output = Recorded<String>()
        let stream = LogStream { output.append($0) }
        stream.writeLine("before")
        stream.showStatus("half")
        stream.showStatus("half")
        stream.writeLine("between")
        stream.showStatus("")
        stream.writeLine("after")
        let erase = "\r\u{1B}[K"
        #expect(output.elements == ["before\n", "\(erase)half", "\(erase)between\nhalf", erase, "after\n"])
    }

    @Test("While another job has the terminal nothing is drawn or erased, and lines go out as they are")
    func background() {
        let output = Recorded<String>()
        let mayDraw = Mutex(true)
        let stream = LogStream(mayDraw: { mayDraw.withLock { $0 } }) { output.append($0) }
        stream.showStatus("half")
        mayDraw.withLock { $0 = false }
        stream.showStatus("more")
        stream.writeLine("line")
        stream.showStatus("")
        stream.writeLine("other")
        mayDraw.withLock { $0 = true }
        stream.showStatus("more")
        #expect(output.elements == ["\r\u{1B}[Khalf", "line\n", "other\n", "\r\u{1B}[Kmore"])
    }

    @Test("A screen that is drawn as a whole takes the lines, and gives the stream back")
    func diverted() {
        let output = Recorded<String>()
        let taken = Recorded<String>()
        let stream = LogStream { output.append($0) }
        stream.showStatus("half")
        stream.divert { taken.append($0) }
        stream.writeLine("line")
        stream.showStatus("status")
        stream.divert(to: nil)
        stream.writeLine("after")
        #expect(taken.elements == ["line"])
        #expect(output.elements == ["\r\u{1B}[Khalf", "\r\u{1B}[K", "after\n"])
    }
}

@Suite("Process usage")
struct ProcessUsageTests {
    @Test("Work shows as processor time, memory as bytes")
    func work() {
        let before = ProcessUsage.current()
        var sum: UInt64 = 0
        while ProcessUsage.current().cpuSeconds - before.cpuSeconds < 0.02 {
            for value in 0..<10_000 { sum = sum &* 31 &+ UInt64(value) }
        }
        #expect(sum != 0)
        // A Swift test process holds between a megabyte and, generously, 64 gigabytes.
        #expect((1 << 20)...(1 << 36) ~= before.peakMemory)
        #expect(ProcessUsage.current().peakMemory >= before.peakMemory)
    }
}
