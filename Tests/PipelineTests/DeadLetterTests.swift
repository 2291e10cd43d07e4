import Messages
import Pipeline
import RecordLog
import Simulation
import Testing
import Timelines

extension PipelineTests {
    /// What cannot be read goes to `tideline.dead-letters`, and processing goes on (M10).
    @Suite struct DeadLetterTests {
        struct Bad: Sendable, CustomTestStringConvertible {
            var testDescription: String
            var topic: any KeyPath<TopicNames, String> & Sendable
            var key: String? = "k"
            var value: String?
            /// What the reason names.
            var names: String
        }

        static let bad: [Bad] = [
            Bad(testDescription: "telemetry that is no JSON", topic: \.telemetry, value: "{\"vehicleId\": ", names: ""),
            Bad(testDescription: "telemetry that is no object", topic: \.telemetry, value: "[1, 2]", names: ""),
            Bad(testDescription: "empty telemetry", topic: \.telemetry, value: "", names: ""),
            Bad(testDescription: "telemetry with no UTF-8", topic: \.telemetry, value: nil, names: ""),
            Bad(
                testDescription: "telemetry without an id", topic: \.telemetry, value: #"{"observedAt": 0}"#,
                names: "vehicleId"),
            Bad(
                testDescription: "telemetry of an impossible date", topic: \.telemetry,
                value: #"{"vehicleId": "v", "observedAt": "2026-02-30T00:00:00Z"}"#, names: "observedAt"),
            Bad(
                testDescription: "telemetry with a speed that is text", topic: \.telemetry,
                value: #"{"vehicleId": "v", "observedAt": 0, "speed": "fast"}"#, names: "speed"),
            Bad(
                testDescription: "an event that ends before it starts", topic: \.calendarEvents,
                value: #"{"calendarId":"c","uid":"u","title":"t","start":1772445600000,"end":1772442000000}"#,
                names: "end"),
            Bad(
                testDescription: "an event of an impossible date", topic: \.calendarEvents,
                value: #"{"calendarId": "c", "uid": "u", "title": "t", "start": "2026-02-29", "allDay": true}"#,
                names: "start"),
            Bad(
                testDescription: "an event without an id", topic: \.calendarEvents,
                value: #"{"calendarId": "c", "title": "t", "start": 0}"#, names: "uid"),
            Bad(
                testDescription: "an event's tombstone with a bad key", topic: \.calendarEvents, key: "work",
                value: nil, names: "key"),
            Bad(
                testDescription: "an event's tombstone without a key", topic: \.calendarEvents, key: nil, value: nil,
                names: "key"),
            Bad(testDescription: "a configuration that is no JSON", topic: \.configurations, value: "hello", names: ""),
            Bad(
                testDescription: "a configuration without an id", topic: \.configurations, value: #"{"kind": "K"}"#,
                names: "configurationId"),
            Bad(testDescription: "a position that is no JSON", topic: \.positions, value: "hello", names: ""),
            Bad(
                testDescription: "a position without a reader", topic: \.positions,
                value: #"{"configurationId": "c", "entryId": "e", "observedAt": 0}"#, names: "readerId"),
            Bad(
                testDescription: "a position with a bad fraction", topic: \.positions,
                value: #"{"readerId": "r", "configurationId": "c", "entryId": "e", "observedAt": 0, "fraction": 2}"#,
                names: "fraction"),
            Bad(
                testDescription: "a position with a bad mark", topic: \.positions,
                value: """
                    {"readerId": "r", "configurationId": "c", "entryId": "e", "observedAt": 0, "dismissed": [{"at": 0}]}
                    """, names: "dismissed[0].entryId"),
            Bad(
                testDescription: "a position's tombstone with a bad key", topic: \.positions, key: "reader",
                value: nil, names: "readerId/configurationId"),
            Bad(
                testDescription: "a position's tombstone without a key", topic: \.positions, key: nil, value: nil,
                names: "key"),
            Bad(
                testDescription: "a configuration's tombstone without a key", topic: \.configurations, key: nil,
                value: nil, names: "key"),
        ]

        @Test(
            "What cannot be read is a dead letter with its bytes and headers unchanged and the reason after them",
            arguments: bad)
        func deadLetter(_ bad: Bad) async throws {
            try await PipelineFixture.run { pipeline in try await check(bad, pipeline) }
        }

        @Test("All that cannot be read goes the same way on a broker, and what follows is processed")
        func onTheBroker() async throws {
            try await PipelineFixture.run(on: .broker) { pipeline in
                for bad in Self.bad { try await check(bad, pipeline) }
            }
        }

        private func check(_ bad: Bad, _ pipeline: PipelineFixture) async throws {
            let before = pipeline.outputs.deadLetters.count
            let headers = [Header("a", "1"), Header("empty", ""), Header("null", nil), Header("a", "2")]
            let topic = pipeline.topics[keyPath: bad.topic]
            let isText = bad.testDescription.contains("UTF-8")
            let value: [UInt8]? = isText ? [0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d] : bad.value.map { Array($0.utf8) }
            pipeline.inputs.append(
                InputSpec(
                    topic: topic, key: bad.key.map { Array($0.utf8) }, value: value, headers: headers, partition: 1))
            pipeline.moving("after", "08:00")
            pipeline.configuration("after", #""vehicleId": "after""#)
            try await pipeline.settle()
            let letters = pipeline.outputs.deadLetters
            #expect(letters.count == before + 1)
            let letter = try #require(
                letters.first { letter in
                    letter.header("__streams.errors.topic") == topic && letter.value == value
                        && letter.keyText == bad.key
                })
            #expect(Array(letter.headers.prefix(4)) == headers)
            #expect(letter.header("__streams.errors.partition") == "1")
            #expect(letter.header("__streams.errors.offset").flatMap { Int($0) } != nil)
            #expect(letter.header("__streams.errors.exception")?.hasPrefix("MessageProblem.") == true)
            let message = try #require(letter.header("__streams.errors.message"))
            #expect(message.contains(bad.names), "\(message)")
            #expect(try pipeline.entry("after").phase == .status)
        }

        @Test("A telemetry tombstone is a dead letter and stays a tombstone")
        func telemetryTombstone() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.put(pipeline.topics.telemetry, key: "v1", nil)
                try await pipeline.settle()
                let letter = try #require(pipeline.outputs.deadLetters.first)
                #expect(letter.value == nil)
                #expect(letter.keyText == "v1")
            }
        }

        @Test("A value of more than 1 MiB is a dead letter, one of exactly 1 MiB is read")
        func largerThanAMebibyte() async throws {
            try await PipelineFixture.run { pipeline in
                for extra in [0, 1] {
                    let frame = #"{"vehicleId": "v1", "observedAt": "2026-03-02T08:00:00Z", "speed": 7, "x": ""}"#
                    let text = String(repeating: "x", count: (1 << 20) + extra - frame.utf8.count)
                    let value = frame.dropLast(2) + text + "\"}"
                    #expect(value.utf8.count == (1 << 20) + extra)
                    pipeline.put(pipeline.topics.telemetry, key: "v1", String(value))
                }
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle()
                #expect(pipeline.outputs.deadLetters.count == 1)
                let letter = try #require(pipeline.outputs.deadLetters.first)
                #expect(letter.header("__streams.errors.exception") == "MessageProblem.tooLarge")
                #expect(letter.header("__streams.errors.offset") == "1")
                #expect(letter.value?.count == (1 << 20) + 1)
                #expect(try pipeline.entry("c1").vehicle?.speed == 7)
            }
        }

        @Test("What does not fit into the dead letters loses its value, and says its size")
        func tooLargeForDeadLetters() async throws {
            var options = PipelineFixture.Options()
            options.change = { $0.deadLetterBytesMax = 100_000 }
            try await PipelineFixture.run(options) { pipeline in
                pipeline.put(pipeline.topics.telemetry, key: "v1", String(repeating: "x", count: 99_000))
                pipeline.put(pipeline.topics.telemetry, key: "v2", String(repeating: "x", count: 50_000))
                try await pipeline.settle()
                let letters = pipeline.outputs.deadLetters
                let large = try #require(letters.first { $0.keyText == "v1" })
                #expect(large.value == [])
                #expect(large.header(DeadLetterHeaders.sizeName) == "99000")
                #expect(large.header("__streams.errors.offset") == "0")
                let small = try #require(letters.first { $0.keyText == "v2" })
                #expect(small.value?.count == 50_000)
                #expect(small.header(DeadLetterHeaders.sizeName) == nil)
            }
        }

        @Test("No record, however odd, makes an output that the broker refuses", arguments: Ground.allCases)
        func nothingRefused(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground) { pipeline in
                let long = String(repeating: "x", count: 900_000)
                pipeline.telemetry("v1", "08:00", #""series": {"\#(long)": [{"at": 0, "value": "no number"}]}"#)
                // One character, of which a reason quotes no more than of others.
                let marked = "e" + String(repeating: "\u{301}", count: 300_000)
                pipeline.telemetry("v1", "08:00", #""series": {"\#(marked)": [{"at": 0, "value": "no number"}]}"#)
                pipeline.put(pipeline.topics.telemetry, key: long, "no JSON")
                pipeline.put(pipeline.topics.telemetry, key: "v1", "no JSON", headers: [Header("long", long)])
                pipeline.put(
                    pipeline.topics.configurations, key: "long",
                    #"{"configurationId": "\#(long.prefix(600_000))", "kind": "K"}"#)
                pipeline.put(
                    pipeline.topics.configurations, key: "long", #"{"configurationId": "kind", "kind": "\#(long)"}"#)
                pipeline.configuration("recipient", #""recipient": "\#(long)""#)
                pipeline.configuration("sinks", #""sinks": ["\#(long)"]"#)
                pipeline.configuration("zone", #""timeZone": "\#(long)""#)
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle()
                #expect(try pipeline.phases("c1") == ["placeholder"])
                #expect(try pipeline.phases("zone") == ["error"])
                #expect(pipeline.stage.events.now.aborts == 0)
                #expect(pipeline.stage.events.now.replacedProducers == 0)
            }
        }

        @Test("Whoever watches is told of the first dead letters of a transaction by name, of the rest by number")
        func told() async throws {
            try await PipelineFixture.run(.init(partitions: [1, 1, 1])) { pipeline in
                for number in 0..<13 { pipeline.put(pipeline.topics.telemetry, key: "v1", "no JSON \(number)") }
                try await pipeline.settle()
                let events = pipeline.stage.events.now
                #expect(events.deadLetters.count == 10 && events.moreDeadLetters == 3)
                let first = try #require(events.deadLetters.first)
                #expect(first.contains(pipeline.topics.telemetry) && first.contains("@0: "))
                #expect(first.hasSuffix("The message is not a JSON object."))
            }
        }

        @Test("A dead letter is written in the transaction that moves past its record")
        func inTheSameTransaction() async throws {
            try await PipelineFixture.run { pipeline in
                try await pipeline.settle()
                let memory = try #require(pipeline.memory).memory
                let cause = LogError(.other, name: "TEST", "ordered")
                let fault = memory.inject(.abortable(cause), into: .commit)
                pipeline.put(pipeline.topics.telemetry, key: "v1", "no JSON")
                try pipeline.step()
                #expect(memory.timesFired(fault) == 1)
                try await pipeline.readOutputs()
                #expect(pipeline.outputs.deadLetters.isEmpty)
                #expect(memory.records(pipeline.topics.deadLetters, isolation: .readUncommitted).count == 1)
                try await pipeline.settle()
                #expect(pipeline.outputs.deadLetters.count == 1)
            }
        }
    }
}
