import Pipeline
import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import TestSupport
import Testing

/// What befalls a pipeline in memory between two portions of one work.
enum Disturbance: CaseIterable {
    case none, crash, abort, rebalance
}

/// Steps a pipeline whose work is to be done in portions, and looks at what each step commits.
struct Portions {
    let pipeline: PipelineFixture
    /// Work units that a transaction may do; the fixture has one thread with two tasks.
    let portion: Int
    /// Outputs that each step added to one topic, where it added any.
    private(set) var steps: [Int] = []
    /// The most that one step added.
    var most: Int { steps.max() ?? 0 }

    /// Makes every node of the pipeline do so many units of work in a transaction.
    init(of portion: Int, _ pipeline: PipelineFixture) async throws {
        self.pipeline = pipeline
        self.portion = portion
        pipeline.plan.topology.flushPortion = portion
        try await pipeline.restart()
    }

    /// Steps until so many records more are committed to a topic, and disturbs the pipeline after each portion.
    ///
    /// - Returns: when they are, or after steps enough for twice as many.
    mutating func step(until count: Int, of topic: String, _ disturbance: Disturbance) async throws {
        let memory = try #require(pipeline.memory)
        // After an abort a step may end two transactions.
        memory.afterStep = {}
        let before = memory.committedRecords([topic]).count
        var last = before
        for _ in 0..<(8 * count / portion + 100) where last - before < count {
            try pipeline.step()
            let now = memory.committedRecords([topic]).count
            if now == last { continue }
            steps.append(now - last)
            last = now
            try await disturb(disturbance, memory)
        }
    }

    private func disturb(_ disturbance: Disturbance, _ memory: MemoryStage) async throws {
        switch disturbance {
        case .none: break
        case .crash:
            memory.crash(pipeline.thread, pipeline.plan)
            try await pipeline.startThread()
        case .abort:
            memory.memory.inject(.abortable(LogError(.other, name: "TEST", "ordered")), into: .commit, .beforeEffect)
        case .rebalance:
            try await pipeline.startThread()
            if memory.threads.count > 2 { try memory.stop(memory.threads.keys.min() ?? 0) }
        }
    }
}
