import Messages
import Testing
import Timelines

extension PipelineTests {
    /// What a walk shows is what the pipeline publishes: each timeline, at the same instant, with the same revision.
    @Suite struct WalkTests {
        /// One vehicle's telemetry, and one calendar's occurrences.
        private struct Sources: TimelineSources {
            var vehicles: [Vehicle]
            var occurrences: [Occurrence]

            func vehicle(_ vehicleId: String, at instant: Instant) -> Vehicle? {
                vehicles.last { $0.observedAt.map { $0 <= instant } ?? false }
            }

            func nextArrival(of vehicleId: String, after instant: Instant) -> Instant? {
                vehicles.lazy.compactMap(\.observedAt).first { $0 > instant }
            }

            func occurrences(of calendarId: String, in window: AgendaWindow) -> [Occurrence] { occurrences }
        }

        @Test(
            "A walk over six hours and a midnight shows what the pipeline publishes",
            arguments: [
                #""strategy": "status""#,
                #""strategy": {"name": "status", "every": "PT7M", "offlineAfter": "PT20M"}"#,
                #""strategy": {"name": "status", "every": "PT30M"}, "sensitivity": {"speed": 25}"#,
                #""strategy": "events""#, #""strategy": "events", "sensitivity": {"speed": 15}"#,
                #""strategy": {"name": "events", "dayEntries": false}, "maximumEntries": 3"#,
                #""strategy": "status", "signedIn": false"#,
            ])
        func sameAsPipeline(fields: String) async throws {
            let sources = Self.sources(seed: UInt64(fields.utf8.count))
            let start = at("2026-03-02T20:00:00Z")
            let until = at("2026-03-03T02:00:00Z")
            let text = #""vehicleId": "v1", "calendarIds": ["team"], "timeZone": "Europe/Berlin", \#(fields)"#
            let walk = TimelineWalk(
                of: try Self.configuration(text), from: start, until: until, sources: sources)
            let expected = Array(walk)
            #expect(expected.count > 1)
            try await PipelineFixture.run(at: "20:00") { pipeline in
                for occurrence in sources.occurrences {
                    guard case .timed(let begin, let end) = occurrence.when else { continue }
                    pipeline.event(
                        "team", occurrence.uid, begin.rfc3339, end.rfc3339, #""vehicleId": "v1""#)
                }
                for vehicle in sources.vehicles where vehicle.observedAt! <= start { Self.send(vehicle, pipeline) }
                try await pipeline.settle()
                pipeline.configuration("c1", text)
                try await pipeline.settle()
                // Checks after each step would read all that was written before, again and again.
                pipeline.memory?.afterStep = {}
                // Each minute, so that what the walk does not expect comes up, too.
                var now = start
                while now < until {
                    now = now + .minutes(1)
                    for vehicle in sources.vehicles where vehicle.observedAt == now { Self.send(vehicle, pipeline) }
                    pipeline.advance(to: now.rfc3339)
                    try await pipeline.stage.put(pipeline.inputs)
                    pipeline.inputs = []
                    try await pipeline.stage.settle(pipeline.plan)
                }
                try await pipeline.readOutputs()
                let published = pipeline.history("c1")
                #expect(published.map(\.generatedAt.rfc3339) == expected.map(\.at.rfc3339))
                #expect(published.map(\.revision) == expected.map(\.revision))
                #expect(published.map(\.refreshCount) == expected.map(\.refreshCount))
                for (record, step) in zip(published, expected) {
                    #expect(Self.text(record) == Self.text(step, like: record), "at \(step.at.rfc3339)")
                }
            }
        }

        private static func configuration(_ fields: String) throws -> WidgetConfiguration {
            var parser = JSONParser()
            let text = #"{"configurationId": "c1", "kind": "Demo", \#(fields)}"#
            let message = try Array(text.utf8).withUnsafeBytes { try ConfigurationMessage.decode($0, with: &parser) }
            guard case .usable(let configuration) = message else { throw FixtureFailure("\(message)") }
            return configuration
        }

        private static func send(_ vehicle: Vehicle, _ pipeline: PipelineFixture) {
            let status = vehicle.status!.rawValue
            pipeline.telemetry(
                "v1", vehicle.observedAt!.rfc3339, #""status": "\#(status)", "speed": \#(Int(vehicle.speed!))"#)
        }

        /// Telemetry of whole minutes with pauses, and some events.
        private static func sources(seed: UInt64) -> Sources {
            var random = SeededGenerator(seed: seed)
            var sources = Sources(vehicles: [], occurrences: [])
            let start = at("2026-03-02T20:00:00Z")
            var minute = Int64.random(in: -20...10, using: &random)
            while minute < 360 {
                var vehicle = Vehicle(vehicleId: "v1")
                let statuses: [VehicleStatus] = [.moving, .moving, .moving, .idling, .ignitionOff, .offline, .charging]
                vehicle.status = statuses[Int.random(in: 0..<statuses.count, using: &random)]
                vehicle.speed = vehicle.status == .moving ? Double(Int.random(in: 10...90, using: &random)) : 0
                vehicle.observedAt = Instant(milliseconds: start.milliseconds + minute * 60_000)
                sources.vehicles.append(vehicle)
                minute += Int64([1, 1, 2, 3, 5, 10, 60].randomElement(using: &random)!)
            }
            for number in 0..<12 {
                let begin = start + .minutes(Int64.random(in: -600...3000, using: &random))
                sources.occurrences.append(
                    Occurrence(
                        calendarId: "team", uid: "e\(number)", title: "e\(number)",
                        when: .timed(start: begin, end: begin + .minutes(45)), vehicleId: "v1"))
            }
            return sources
        }

        private static func text(_ record: TimelineRecord) -> String {
            var record = record
            record.sources = []
            var json = JSONWriter()
            record.write(to: &json)
            return String(decoding: json.bytes, as: UTF8.self)
        }

        private static func text(_ step: TimelineWalk.Step, like record: TimelineRecord) -> String {
            var made = record
            made.timeline = step.timeline
            made.generatedAt = step.at
            made.revision = step.revision
            made.refreshCount = step.refreshCount
            return text(made)
        }
    }
}
