import Messages
import Pipeline
import RecordLog
import SplitMix
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// Records of all sizes, on topics that take no byte more than the pipeline reckons with (R11).
    @Suite struct RandomBoundTests {
        @Test("Nothing is refused for its size, whatever comes in, and what is refused by name is all that is missing")
        func nothingIsRefused() async throws {
            for seed in 0..<6 as Range<UInt64> {
                try await BoundTests.run(256 << 10, partitions: [3, 2, 4, 2], change: Self.change) { pipeline in
                    var world = LargeWorld(seed)
                    for minute in 1...30 {
                        for _ in 0..<6 { world.put(into: pipeline) }
                        try await pipeline.settle(at: minute < 10 ? "08:0\(minute)" : "08:\(minute)")
                        if minute % 10 == 0 { try await pipeline.restart() }
                    }
                    let reasons = pipeline.outputs.deadLetters.map { $0.header("__streams.errors.exception") }
                    #expect(reasons.allSatisfy { $0 == "MessageProblem.tooLarge" })
                    #expect(!reasons.isEmpty && reasons.count < 150, "seed \(seed): \(reasons.count) of 180")
                    // Small records make small timelines, whatever there was.
                    for number in 0..<3 {
                        pipeline.put(
                            pipeline.topics.telemetry, key: "v\(number)",
                            #"{"vehicleId": "v\#(number)", "observedAt": "\#(at("08:31").rfc3339)", "speed": 9, "#
                                + #""registration": null, "alias": null, "customAddressIcon": null, "series": null}"#)
                        pipeline.configuration("c\(number)", #""vehicleId": "v\#(number)""#)
                    }
                    try await pipeline.settle(at: "08:31")
                    for number in 0..<3 { #expect(try pipeline.entry("c\(number)").vehicle?.speed == 9) }
                }
            }
        }

        private static func change(_ settings: inout PipelineSettings) {
            settings.timelineBytesMax = 60_000
            settings.reloadBytesMax = 40_000
            settings.positionsBytesMax = 30_000
        }
    }
}

/// Draws records that are small, as large as they may be, and larger.
private struct LargeWorld {
    private var random: SplitMix64
    private var second: Int64 = 0

    init(_ seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    private mutating func text() -> String {
        let count = [5, 900, 3_000, 15_000, 30_000, 30_000, 40_000].randomElement(using: &random) ?? 0
        let letter = ["x", "x", "ä", "\\u0001", "\\\""].randomElement(using: &random) ?? ""
        return String(repeating: letter, count: letter == "x" ? count : count / 6)
    }

    mutating func put(into pipeline: PipelineFixture) {
        second += 1
        let isLong = Int.random(in: 0..<12, using: &random) == 0
        let headers = isLong ? [Header("h", String(repeating: "h", count: 250_000))] : []
        let partition = Partition(Int32.random(in: 0..<2, using: &random))
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4:
            let id = "v\(Int.random(in: 0..<3, using: &random))"
            let at = (pipeline.clock.now + ElapsedTime(milliseconds: second)).rfc3339
            let field = ["registration", "alias", "customAddressIcon", "address"].randomElement(using: &random) ?? ""
            let value =
                field == "address" && Bool.random(using: &random)
                ? #""series": {"\#(text())": [{"at": 0, "value": 1}]}"# : #""\#(field)": "\#(text())""#
            pipeline.put(
                pipeline.topics.telemetry, key: id,
                #"{"vehicleId":"\#(id)","observedAt":"\#(at)","ignition":\#(Bool.random(using: &random)), \#(value)}"#,
                headers: headers, partition: partition)
        case 4..<6: putEvents(into: pipeline, headers, partition)
        case 6..<9: putConfiguration(into: pipeline, headers, partition)
        default:
            let marks = (0..<Int.random(in: 1..<900, using: &random)).map { number in
                #"{"entryId": "e\#(number)", "at": \#(pipeline.clock.now.milliseconds - Int64(number))}"#
            }
            pipeline.position(
                "r\(Int.random(in: 0..<2, using: &random))", "c\(Int.random(in: 0..<5, using: &random))",
                "d\(Int.random(in: 0..<9, using: &random))", "e1", "08:00",
                #""readEntries": [\#(marks.joined(separator: ", "))]"#, headers: headers, partition: partition)
        }
    }

    private mutating func putEvents(
        into pipeline: PipelineFixture, _ headers: [Header], _ partition: Partition
    ) {
        let calendar = "k\(Int.random(in: 0..<4, using: &random))"
        if Bool.random(using: &random) {
            let name = "e\(Int.random(in: 0..<6, using: &random))"
            let rule = Bool.random(using: &random) ? #", "recurrence": ["RRULE:FREQ=HOURLY;COUNT=9"]"# : ""
            return pipeline.event(
                calendar, name, "12:00", "12:30", #""location": "\#(text())", "sequence": \#(second % 7)\#(rule)"#,
                headers: headers, partition: partition)
        }
        let sequence = Int.random(in: 0..<5, using: &random)
        let events = (0..<Int.random(in: 1..<300, using: &random)).map { number in
            ICalendarEvent("\(calendar)-\(number)", "13:00", "13:30", "SEQUENCE:\(sequence)", "LOCATION:Hall \"1\"")
        }
        let name = "x\(Int.random(in: 0..<3, using: &random))"
        pipeline.iCalendar("\(calendar)/\(name)", text: PipelineFixture.iCalendarText(events), partition: partition)
    }

    private mutating func putConfiguration(
        into pipeline: PipelineFixture, _ headers: [Header], _ partition: Partition
    ) {
        let number = Int.random(in: 0..<5, using: &random)
        let calendars = (0..<[1, 2, 4, 30, 250, 300].randomElement(using: &random)!).map { #""k\#($0)""# }
        let sources = [
            #""vehicleId": "v\#(number % 3)""#,
            #""vehicleId": "v\#(number % 3)", "strategy": "fixedInterval", "maximumEntries": 50"#,
            #""calendarIds": [\#(calendars.joined(separator: ","))], "strategy": "events", "maximumEntries": 100"#,
            #""calendarIds": [\#(calendars.joined(separator: ","))], "vehicleId": "v1", "strategy": "events""#,
        ]
        let others = [
            "", "", #", "parameters": {"text": "\#(text())"}"#, #", "recipient": "\#(text())""#,
            #", "recipient": "\#(String(repeating: "r", count: 600))", "sensitivity": {"speed": 1}"#,
        ]
        pipeline.configuration(
            "c\(number)",
            (sources.randomElement(using: &random) ?? "") + (others.randomElement(using: &random) ?? ""),
            headers: headers, partition: partition)
    }
}
