import Preview
import Testing
import Timelines

@Suite("The timelines of a preview")
struct RunTests {
    private func tracker(_ telemetry: String...) throws -> PreviewFixture {
        let fixture = try PreviewFixture()
        try fixture.configuration(
            #"{"configurationId": "van", "kind": "K", "vehicleId": "v1", "parameters": {"a": 1}}"#)
        if !telemetry.isEmpty { fixture.files.telemetry = try fixture.write(telemetry.joined(), to: "t.jsonl") }
        return fixture
    }

    @Test("the record is that of the topic: revision 1, made at the instant, from no record")
    func record() throws {
        let fixture = try PreviewFixture()
        try fixture.configuration(#"{"configurationId": "c", "kind": "K", "signedIn": false}"#)
        #expect(
            try fixture.run().records == [
                #"{"configurationId":"c","kind":"K","family":"systemMedium","recipient":"c","revision":1,"#
                    + #""generatedAt":"2026-11-20T06:25:00Z","validUntil":"2026-11-20T06:40:00Z","entries":[{"id":"#
                    + #""signedOut/2026-11-20T06:25:00Z","date":"2026-11-20T06:25:00Z","phase":"signedOut","#
                    + #""message":"Sign in to see this widget.","messageCode":"signedOut"}],"refreshCount":1,"#
                    + #""budget":{"limit":48,"remaining":10,"resetsAt":"2026-11-20T06:25:00Z"},"#
                    + #""policy":{"type":"after","date":"2026-11-20T06:40:00Z"},"nextUpdate":"2026-11-20T06:40:00Z","#
                    + #""sources":[]}"#
            ])
    }

    @Test("a walk is one record for each timeline, configuration by configuration")
    func walk() throws {
        let fixture = try PreviewFixture()
        try fixture.configuration(
            """
            [{"configurationId": "a", "kind": "K", "signedIn": false},
             {"configurationId": "b", "kind": "K", "vehicleId": ""}]
            """
        )
        let run = try fixture.run(until: "2026-11-20T06:55:00Z")
        let steps = run.previews.flatMap { preview in
            preview.map {
                "\(preview.configuration.configurationId) \($0.at.rfc3339) \($0.revision)/\($0.refreshCount)"
            }
        }
        #expect(
            steps == [
                "a 2026-11-20T06:25:00Z 1/1", "a 2026-11-20T06:40:00Z 1/2", "a 2026-11-20T06:55:00Z 1/3",
                "b 2026-11-20T06:25:00Z 1/1", "b 2026-11-20T06:40:00Z 1/2", "b 2026-11-20T06:55:00Z 1/3",
            ])
        #expect(run.records.count == 6)
    }

    @Test("without telemetry the sample vehicle is shown, marked as such; with telemetry it is not")
    func sample() throws {
        let sampled = try tracker().run(until: "2026-11-20T08:00:00Z", isSampled: true)
        for step in sampled.previews[0] {
            #expect(step.timeline.entries.map(\.phase) == [.status, .stale] && step.revision == 1)
            for entry in step.timeline.entries {
                #expect(entry.isSample && entry.vehicle == .sample(0) && entry.parameters["a"] == .number("1"))
            }
        }
        let known = try tracker(#"{"vehicleId": "v1", "observedAt": "2026-11-20T06:24:00Z", "speed": 0}"#)
            .run(isSampled: true)
        #expect(known.previews[0].flatMap(\.timeline.entries).allSatisfy { !$0.isSample && $0.vehicle?.speed == 0 })
    }

    @Test("a snapshot of who is not signed in is a sample with its parameters")
    func signedOutSnapshot() throws {
        let fixture = try PreviewFixture()
        try fixture.configuration(
            #"{"configurationId": "c", "kind": "K", "signedIn": false, "parameters": {"a": 1}, "vehicleId": "v"}"#)
        let entry = try #require(
            try fixture.run(isSnapshot: true).previews.flatMap(Array.init).first?.timeline.entries[0])
        #expect(entry.phase == .tick && entry.isSample && entry.parameters["a"] == .number("1"))
    }

    @Test("a snapshot is the present alone, a sample instead of a placeholder")
    func snapshot() throws {
        let steps = try tracker().run(isSnapshot: true).previews.flatMap(Array.init)
        let timeline = try #require(steps.first?.timeline)
        #expect(steps.count == 1 && timeline.policy == .never && timeline.nextUpdate == nil)
        #expect(timeline.entries.map(\.phase) == [.tick] && timeline.entries[0].isSample)
    }
}
