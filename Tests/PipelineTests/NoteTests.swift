import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// What is said of timelines, one by one, while somebody follows them.
    @Suite struct NoteTests {
        @Test("each timeline is noted once it is committed, with what it shows and why; without a follower none is")
        func timelines() async throws {
            try await PipelineFixture.run(PipelineFixture.Options(threads: 0)) { pipeline in
                let memory = try #require(pipeline.memory)
                pipeline.plan.settings.isFollowed = { true }
                try await pipeline.startThread()
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle()
                // What an aborted transaction made is made again, and noted once.
                memory.memory.inject(.abortable(.init(.other, name: "_TEST", "test")), into: .commit, times: 1)
                pipeline.advance(to: "08:00:30")
                pipeline.moving("v1", "08:00:29")
                try await pipeline.settle()
                #expect(memory.events.now.aborts == 1)
                let notes = memory.events.now.notes.map { note in
                    (note.name, Dictionary(uniqueKeysWithValues: note.fields.map { ($0.name, $0.value) }))
                }
                #expect(notes.map(\.0) == ["timeline.made", "timeline.made"])
                #expect(notes.map { $0.1["cause"] } == ["configurationChanged", "statusChanged"])
                #expect(notes.map { $0.1["phase"] } == ["placeholder", "status"])
                #expect(notes.map { $0.1["revision"] } == ["1", "2"])
                #expect(notes.allSatisfy { $0.1["configurationId"] == "c1" && $0.1["strategy"] == "status" })
                #expect(notes.last?.1["at"] == at("08:00:30").rfc3339)
                #expect(notes.last?.1["nextUpdate"] == at("08:02:30").rfc3339)
            }
            try await PipelineFixture.run { pipeline in
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle()
                #expect(pipeline.memory?.events.now.notes == [])
            }
        }
    }
}
