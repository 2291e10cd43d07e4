import Foundation
import RecordLog
import TestSupport
import Testing

extension AcceptanceTests {
    @Suite struct WrittenRecordsTests {
        @Test("what is written holds to the schemas; what cannot be read goes to the dead letters as it came, with why")
        func goodAndBad() async throws {
            let application = try await Application("mixed", partitions: nil)
            for topic in ["vehicle.telemetry", "calendar.events", "widget.configurations"] {
                try await application.createTopic(topic, partitions: 3, recordBytesMax: 3 << 20)
            }
            try await application.run("topics", "--partitions", "3")
            for (topic, records) in MixedInput.good { try await application.produce(records, to: topic) }
            for (topic, bad) in MixedInput.bad { try await application.produce(bad.map(\.record), to: topic) }
            // Behind the bad ones, so that they must have been passed.
            try await application.produce(MixedInput.last, to: "vehicle.telemetry")
            let summary = try await application.process(clock: MixedInput.clock)

            let timelines = try await application.records(of: "timelines")
            let reloads = try await application.records(of: "timeline.reloads")
            let dead = try await application.records(of: "tideline.dead-letters")
            let badCount = MixedInput.bad.reduce(0) { $0 + $1.bad.count }
            #expect(summary.deadLetters == badCount && dead.count == badCount)
            #expect(summary.timelines == timelines.count && summary.reloads == reloads.count)
            try await Judges.validate(timelines.filter { $0.value != nil }.map { Data($0.value!) }, named: "timelines")
            try await Judges.validate(reloads.map { Data($0.value!) }, named: "timeline.reloads")
            for topic in MixedInput.good {
                let readable = topic.records.filter { $0.value?.first != 0 && $0.key?.hasPrefix("unusable") != true }
                let values = readable.compactMap(\.value)
                try await Judges.validate(values.map { Data($0) }, named: topic.topic)
            }
            for record in timelines + reloads { expectCloudEvent(record, application) }
            for (topic, bad) in MixedInput.bad { expectDeadLetters(dead, of: bad, application.topic(topic)) }
            try expectContents(timelines)
            try await expectTombstoneAndTrace(application)
            show(
                "\(timelines.count) timelines and \(reloads.count) reloads valid against the schemas, with CloudEvents "
                    + "headers; \(dead.count) bad records of \(badCount) kinds in the dead letters, bytes unchanged")
        }

        /// The end of a configuration is the end of its timelines, and of their file; an input's trace goes on.
        private func expectTombstoneAndTrace(_ application: Application) async throws {
            let files = try await application.sink()
            #expect(try TimelineFiles.read(files).keys.contains("agenda.json"))
            try await application.publish(configurations: #"{"configurationId": "agenda", "deleted": true}"# + "\n")
            try await application.produce(MixedInput.traced, to: "vehicle.telemetry")
            let summary = try await application.process(clock: MixedInput.clock)
            #expect(summary.timelines == 2 && summary.reloads == 1)
            let timelines = try await application.records(of: "timelines")
            let traced = try #require(timelines.last { $0.keyText == "status" })
            #expect(traced.header("traceparent") == MixedInput.traceParent)
            let reload = try #require(
                try await application.records(of: "timeline.reloads").last { $0.keyText == "status" })
            #expect(reload.header("traceparent") == MixedInput.traceParent)
            let tombstone = try #require(timelines.last { $0.keyText == "agenda" })
            #expect(tombstone.value == nil)
            expectCloudEvent(tombstone, application)
            _ = try await application.sink()
            #expect(try !TimelineFiles.read(files).keys.contains("agenda.json"))
        }

        /// Binary mode of CloudEvents' Kafka binding: attributes in headers, so that a tombstone has them, too.
        private func expectCloudEvent(_ record: Record, _ application: Application) {
            let isTimeline = record.topic == application.topic("timelines")
            #expect(record.header("ce_specversion") == "1.0")
            #expect(record.header("ce_type") == (isTimeline ? "tideline.timeline.v1" : "tideline.reload.v1"))
            #expect(record.header("ce_source") == "/\(application.name)")
            #expect(record.header("ce_subject") == record.keyText)
            #expect(record.header("ce_time") == MixedInput.clock)
            #expect(record.header("ce_id")?.contains(record.keyText) == true)
            #expect(record.header("content-type") == (record.value == nil ? nil : "application/json"))
        }

        private func expectDeadLetters(_ dead: [Record], of bad: [MixedInput.Bad], _ topic: String) {
            for bad in bad {
                let found = dead.first {
                    $0.key == bad.record.key.map { Array($0.utf8) } && $0.value == bad.record.value
                }
                guard let found else {
                    Issue.record("\(topic) \(bad.record.key ?? "nil"): no dead letter with its key and value")
                    continue
                }
                #expect(Array(found.headers.prefix(bad.record.headers.count)) == bad.record.headers)
                let added = found.headers.dropFirst(bad.record.headers.count).map(\.name)
                let names = ["exception", "message", "topic", "partition", "offset"]
                #expect(added == names.map { "__streams.errors.\($0)" })
                #expect(found.header("__streams.errors.topic") == topic)
                let message = found.header("__streams.errors.message") ?? ""
                #expect(
                    bad.reason.isEmpty && !message.isEmpty || message.contains(bad.reason),
                    "\(bad.record.key ?? "nil"): \(message)")
            }
        }

        private func expectContents(_ timelines: [Record]) throws {
            let last = Dictionary(timelines.map { ($0.keyText, $0) }, uniquingKeysWith: { $1 })
            func entries(_ id: String) throws -> [[String: Any]] {
                let record = try #require(last[id], "no timeline of \(id)")
                return try #require(try record.json()["entries"] as? [[String: Any]])
            }
            let vehicle = try #require(try entries("status")[0]["vehicle"] as? [String: Any])
            // Of the record behind the bad ones, and of the master data before.
            #expect(vehicle["speed"] as? Int == 50 && vehicle["registration"] as? String == "B-TL 101")
            #expect(try entries("agenda").contains { $0["phase"] as? String == "preEvent" })
            #expect(last["deleted"]?.value == nil, "nothing is told of what came and went unseen")
            for (id, part) in [("unusable-zone", "Mars/Base"), ("unusable-option", "evry")] {
                let error = try entries(id)
                #expect(error.count == 1 && error[0]["phase"] as? String == "error")
                #expect(error[0]["messageCode"] as? String == "configurationInvalid")
                #expect((error[0]["message"] as? String)?.contains(part) == true, "\(id): \(error)")
            }
        }
    }
}
