import Foundation
import Messages
import Producers
import RecordLog
import Testing
import Timelines

extension JudgedInputTests {
    @Test("a value larger than what is read, or than what the topic takes, is refused with its place")
    func sizes() throws {
        let inputs = try Inputs()
        let line = { (count: Int) in
            #"{"vehicleId":"v","observedAt":1,"x":""# + String(repeating: "y", count: count) + "\"}\n"
        }
        let input = try InputFile(try inputs.file("in.json", line(10) + line(2000) + line(100)))
        let judge = InputJudge(.telemetry, valueBytesMax: 1000)
        let check = try JSONCheck(input, content: .telemetry, judge: judge)
        #expect(check.records == 2 && check.problems.lines.count == 1)
        #expect(check.problems.lines[0].hasSuffix("in.json:2:1: the value has 2039 bytes, at most 1000 are read"))
        #expect(check.largestRecord == 140, "key and value of what is not refused")
        judge.recordBytesMax = 139
        let second = try JSONCheck(input, content: .telemetry, judge: judge)
        #expect(second.problems.lines.count == 2 && second.problems.lines[1].contains(":3:1: key and value have 140 "))
    }

    @Test("a file that changes after it was judged is named, with what was sent of it")
    func changedFile() throws {
        let inputs = try Inputs()
        let line = #"{"configurationId":"a","kind":"K"}"# + "\n"
        for (now, word) in [(line, "only 1"), (line + line + line, "more"), (line + "!", "1 of 2 records were sent")] {
            let path = try inputs.file("in.json", line + line)
            let input = try InputFile(path)
            let check = try JSONCheck(input, content: .configurations, judge: InputJudge(.configurations))
            let handle = try #require(FileHandle(forWritingAtPath: path))
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: Data(now.utf8))
            try handle.close()
            let replay = try JSONReplay(input, content: .configurations, judgedCount: check.records)
            let problem = #expect(throws: InputProblem.self) { try replay.records() }
            #expect(problem?.description.contains(word) == true, "\(String(describing: problem))")
            #expect(problem?.file == path)
        }
    }

    @Test("of very many faults the first fifty are shown, and how many more there are")
    func bounded() throws {
        let text = String(repeating: "{\"configurationId\":\"a\"}\n", count: 2000)
        let check = try check(text, .configurations)
        #expect(check.problems.count == 2000 && check.faulty == 2000 && check.records == 0)
        #expect(check.problems.lines.count == 51 && check.problems.lines.last == "… and 1950 more")
    }

    @Test("to keep going leaves out what is wrong and counts it")
    func keepGoing() throws {
        let inputs = try Inputs()
        let text =
            #"{"configurationId":"a","kind":"K"}"# + "\nno\n{\"configurationId\":\"b\"}\n"
            + #"{"configurationId":"c","kind":"K"}"#
        let source = try JSONReplay(
            file: try inputs.file("in.json", text), content: .configurations, judge: InputJudge(.configurations),
            skipsFaults: true)
        let producer = KeptProducer()
        let summary = try Publisher(producer: producer, clock: SteppingClock()).publish(source, to: "t")
        #expect(summary.records == 2 && summary.skippedCount == 2 && summary.skipped.map(\.line) == [2, 3])
        #expect(producer.records.map { String(decoding: $0.key ?? [], as: UTF8.self) } == ["a", "c"])
    }

    @Test("a pipe is read to its end, judged, and read again")
    func pipe() throws {
        let inputs = try Inputs()
        let pipe = try inputs.pipe("in.json")
        let line = #"{"configurationId":"a","kind":"K"}"# + "\n"
        try pipe.write(String(repeating: line, count: 1000) + "nonsense\n")
        var asked = 0
        let input = try InputFile(pipe.path)
        try input.keep {
            asked += 1
            return asked > 3
        }
        let check = try JSONCheck(input, content: .configurations, judge: InputJudge(.configurations))
        #expect(check.records == 1000 && check.problems.lines.count == 1)
        #expect(check.problems.lines[0].hasPrefix("\(pipe.path):1001:1: "))
        #expect(try JSONReplay(input, content: .configurations).records(1000).count == 1000)
    }

    @Test("of a pipe of telemetry a batch with a fault is not sent, what was before it is")
    func batches() throws {
        let inputs = try Inputs()
        let pipe = try inputs.pipe("in.json")
        let clock = RunningClock()
        let source = try JSONBatches(
            InputFile(pipe.path), content: .telemetry, judge: InputJudge(.telemetry), clock: clock)
        try pipe.write(#"{"vehicleId":"a","observedAt":1}"# + "\n" + #"{"vehicleId":"b","obs"#)
        // A second after the first record the batch ends, in the middle of a line, too.
        #expect(try source.next()?.keyText == "a")
        try pipe.write(#"ervedAt":2}"# + "\n" + #"{"vehicleId":"c","observedAt":"x"}"# + "\n!\n")
        #expect(throws: InputProblem.self) { try source.next() }
        #expect(source.problems.count == 2, "\(source.problems.lines)")
    }
}

/// A clock that goes on whenever somebody looks at it.
private final class RunningClock: PacingClock {
    private var looks = 0
    var now: Duration {
        looks += 1
        return .milliseconds(100 * looks)
    }
    var wall: Instant { Instant(milliseconds: 0) }
    func wait(for duration: Duration) {}
}
