import Messages
import RecordLog
import Seeds
import Simulation
import StreamRuntime
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// Random worlds, and every kind of misfortune at any step: in the end the timelines are what the records say.
    @Suite struct CrashTests {
        @Test("A random world ends in the timelines that its records say", arguments: 1...25 as ClosedRange<UInt64>)
        func undisturbed(_ seed: UInt64) async throws {
            try await play(seed, disturbed: false)
        }

        @Test(
            "Crashes, aborts, lost answers and rebalances at any step change nothing of it",
            arguments: 1...60 as ClosedRange<UInt64>)
        func disturbed(_ seed: UInt64) async throws {
            try await play(seed, disturbed: true)
        }

        private func play(_ seed: UInt64, disturbed: Bool) async throws {
            var random = SplitMix64(seed: seed &* 977)
            let partitions = (0..<3).map { _ in Int32.random(in: 1...4, using: &random) }
            try await PipelineFixture.run(.init(partitions: partitions)) { pipeline in
                if disturbed {
                    // A step may end more than one transaction, and luck may be bad five times in a row.
                    pipeline.memory?.afterStep = {}
                    pipeline.plan.settings.failuresMax = 1_000
                    try await pipeline.restart()
                }
                var world = RandomWorld(seed: seed, partitions: partitions)
                // What happens to the pipeline is drawn from another sequence: the world stays the same.
                var misfortune = Misfortune(seed: seed, pipeline)
                var put: [InputSpec] = []
                for _ in 0..<60 {
                    for _ in 0..<Int.random(in: 0..<4, using: &random) {
                        world.put(into: pipeline, now: pipeline.clock.now)
                    }
                    put += pipeline.inputs
                    let pause: [Int64] = [0, 0, 0, 1, 5, 30, 61, 130, 900]
                    pipeline.advance(.seconds(pause.randomElement(using: &random)!))
                    if disturbed { try await misfortune.strike() }
                    try pipeline.step()
                }
                try #require(pipeline.memory).memory.cancelFaults()
                try #require(pipeline.memory).memory.delaysMarkers = false
                try await pipeline.settle()
                // The run that ends when it has caught up brings every timeline to the same instant.
                try await pipeline.bringUp()
                let oracle = Oracle(put, pipeline.topics)
                for id in oracle.configurationIds {
                    #expect(
                        try pipeline.timeline(id).contentText == oracle.contentText(id, at: pipeline.clock.now), "\(id)"
                    )
                }
                for id in Set(pipeline.outputs.timelines.map(\.configurationId)).subtracting(oracle.configurationIds) {
                    #expect(pipeline.published(id).last?.record.value == nil, "\(id) is deleted")
                }
                #expect(
                    pipeline.outputs.deadLetters.count
                        == put.count { $0.value?.starts(with: RandomWorld.badValue.utf8) ?? false })
            }
        }
    }
}

/// What befalls stream threads in memory.
struct Misfortune {
    private var random: SplitMix64
    private let pipeline: PipelineFixture

    init(seed: UInt64, _ pipeline: PipelineFixture) {
        random = SplitMix64(seed: ~seed)
        self.pipeline = pipeline
    }

    mutating func strike() async throws {
        guard let stage = pipeline.memory else { throw FixtureFailure("misfortune is for a cluster in memory") }
        let cause = LogError(.other, name: "TEST", "ordered")
        let moment: FaultMoment = Bool.random(using: &random) ? .beforeEffect : .afterEffect
        let call: TransactionalCall = [.produce, .sendOffsets, .commit].randomElement(using: &random)!
        switch Int.random(in: 0..<14, using: &random) {
        case 0:
            // A process dies, another begins; sometimes before the group has noticed.
            let victim = stage.threads.keys.sorted().randomElement(using: &random)!
            if Bool.random(using: &random) { try await pipeline.startThread() }
            stage.crash(victim, pipeline.plan)
            if stage.threads.isEmpty { try await pipeline.startThread() }
        case 1: stage.memory.inject(.abortable(cause), into: call, .beforeEffect)
        case 2: stage.memory.inject(.retriable(cause), into: .commit, moment)
        case 3: stage.memory.inject(.fatal(cause), into: call, moment)
        case 4: stage.memory.inject(.fenced(cause), into: call, .beforeEffect)
        case 5: if stage.threads.count < 3 { try await pipeline.startThread() }
        case 6:
            guard stage.threads.count > 1 else { return }
            try stage.stop(stage.threads.keys.sorted().randomElement(using: &random)!)
        case 7:
            let victim = stage.threads.keys.sorted().randomElement(using: &random)!
            stage.memory.expel(clientId: "\(pipeline.plan.settings.applicationId)-thread-\(victim)")
        case 8: stage.memory.delaysMarkers.toggle()
        default: stage.memory.delaysMarkers = false
        }
    }
}
