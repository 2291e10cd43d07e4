import Messages
import Pipeline
import RecordLog
import Testing
import Timelines

extension PipelineTests {
    /// Headers of outputs, framing of inputs (M9, M13).
    @Suite struct HeaderTests {
        static let trace = Header("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")

        @Test("Outputs are CloudEvents in binary mode; a tombstone has no content type", arguments: Ground.allCases)
        func cloudEvents(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground) { pipeline in
                pipeline.configuration("c1", #""strategy": "status", "kind": "K", "recipient": "r""#)
                try await pipeline.settle()
                pipeline.removeConfiguration("c1")
                try await pipeline.settle(at: "08:01")
                let source = pipeline.settings.eventSource
                let timeline = try #require(pipeline.published("c1").first).record
                #expect(
                    timeline.headers
                        == [
                            Header("ce_specversion", "1.0"), Header("ce_id", "c1/1/2026-03-02T08:00:00Z"),
                            Header("ce_type", "tideline.timeline.v1"), Header("ce_source", source),
                            Header("ce_time", "2026-03-02T08:00:00Z"), Header("ce_subject", "c1"),
                            Header("content-type", "application/json"),
                        ].sorted { left, right in order(left) < order(right) })
                let tombstone = try #require(pipeline.published("c1").last).record
                #expect(tombstone.value == nil)
                #expect(tombstone.header("content-type") == nil)
                #expect(tombstone.header("ce_time") == "2026-03-02T08:01:00Z")
                let reload = try #require(pipeline.outputs.reloads.first).record
                #expect(reload.header("ce_type") == "tideline.reload.v1")
                #expect(reload.header("ce_subject") == "r")
                #expect(reload.header("ce_id") == "r/K/c1/1/2026-03-02T08:00:00Z")
            }
        }

        /// In the order in which they are written.
        private func order(_ header: Header) -> Int {
            ["ce_specversion", "ce_id", "ce_type", "ce_source", "ce_time", "ce_subject", "content-type"]
                .firstIndex(of: header.name) ?? 9
        }

        @Test("traceparent goes from each kind of input to the timeline and the reload", arguments: Ground.allCases)
        func traceParent(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground) { pipeline in
                func last() throws -> (timeline: String?, reload: String?) {
                    let timeline = try #require(pipeline.published("c1").last).record
                    let reloads = pipeline.outputs.reloads.filter { $0.reload.recipient == "c1" }
                    return (timeline.header("traceparent"), reloads.last?.record.header("traceparent"))
                }
                let traces = (1...4).map { "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b\($0)-01" }
                let fields = #""strategy": "events", "vehicleId": "v1", "calendarIds": ["work"]"#
                pipeline.event("work", "Drive", "09:00", "09:30", #""vehicleId": "v1""#)
                pipeline.configuration("c1", fields)
                try await pipeline.settle()
                #expect(try last() == (nil, nil))
                pipeline.telemetry("v1", "08:00", #""speed": 9"#, headers: [Header("traceparent", traces[0])])
                try await pipeline.settle()
                #expect(try last() == (traces[0], traces[0]))
                pipeline.event("work", "A", "10:00", "11:00", headers: [Header("traceparent", traces[1])])
                try await pipeline.settle()
                #expect(try last() == (traces[1], traces[1]))
                pipeline.configuration("c1", fields + #", "kind": "K""#, headers: [Header("traceparent", traces[2])])
                try await pipeline.settle()
                #expect(try last() == (traces[2], traces[2]))
                pipeline.removeConfiguration("c1", headers: [Header("traceparent", traces[3])])
                try await pipeline.settle()
                #expect(try last() == (traces[3], traces[2]))
            }
        }

        @Test("A configuration's sinks are a header of its timelines")
        func sinks() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.configuration("some", #""sinks": ["files", "phone"]"#)
                pipeline.configuration("none", #""sinks": []"#)
                pipeline.configuration("all", "")
                pipeline.configuration("bad", #""sinks": ["files"], "timeZone": "Nowhere""#)
                try await pipeline.settle()
                func sinks(_ id: String) throws -> String? {
                    try #require(pipeline.published(id).last).record.header(CloudEventHeaders.sinksName)
                }
                #expect(try sinks("some") == "files,phone")
                #expect(try sinks("none") == "")
                #expect(try sinks("all") == nil)
                #expect(try sinks("bad") == "files")
            }
        }

        @Test("The framing of Confluent's serializers is skipped, also after a restart", arguments: Ground.allCases)
        func framing(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground) { pipeline in
                pipeline.moving("v1", "08:00")
                pipeline.event("work", "A", "10:00", "11:00")
                pipeline.configuration("c1", #""strategy": "events", "vehicleId": "v1", "calendarIds": ["work"]"#)
                for index in pipeline.inputs.indices {
                    pipeline.inputs[index].value = [0, 0, 0, 1, 2] + (pipeline.inputs[index].value ?? [])
                }
                try await pipeline.settle()
                #expect(pipeline.outputs.deadLetters.isEmpty)
                #expect(try pipeline.outline("c1").contains("start 10:00 A"))
                try await pipeline.restart()
                pipeline.event("work", "B", "12:00", "13:00")
                try await pipeline.settle()
                #expect(try pipeline.outline("c1").contains("start 10:00 A"))
                #expect(try pipeline.outline("c1").contains("start 12:00 B"))
            }
        }
    }
}
