import Messages
import Pipeline
import RecordLog
import Simulation
import SplitMix
import StreamCore
import Timelines

/// The real pipeline under test: random vehicles, calendars and configurations go in, and in the end every timeline
/// must be the one that a single pass over the committed input gives.
final class WidgetSystem: SystemUnderTest {
    let topology: Topology
    let idleHours: Int64
    private let settings: PipelineSettings
    private let draw: Draw
    private var input: RandomWorld
    private var readers: RandomReaders
    private var history = InputHistory()
    private var audit: WidgetAudit
    /// Written again, or later.
    private var held: [RandomWorld.Input] = []
    /// Written when their topics are there again.
    private var waiting: [RandomWorld.Input] = []
    /// By topic: all that was written to it so far.
    private var written: [String: [RandomWorld.Input]] = [:]
    private var last: RandomWorld.Input?

    init(_ draw: Draw) {
        self.draw = draw
        var settings = PipelineSettings()
        settings.reload.coalesce = .zero
        settings.reload.limit = draw.reloadLimit
        // Of the tightest budgets, so that changes are held: a token at first, and one each eight hours.
        settings.reload.burst = draw.reloadLimit == 4 ? 1 : draw.reloadLimit / 2
        // A clock that is wrong makes reports of the present come from the future, which is a rule of its own.
        if draw.hasWrongClocks { settings.telemetryFuture = nil }
        // With the bounds of large records near, some are too large; of every second seed, for variety.
        let hasLargeRecords = draw.seed.isMultiple(of: 2)
        if hasLargeRecords { settings.internalBytesMax = 64 << 10 }
        self.settings = settings
        topology = Topology.widgets(settings)
        var hours = SplitMix64(seed: draw.seed, stream: 9)
        // Some tokens come within an hour, some within twelve.
        idleHours = [0, 0, 1, 5, 13, 30].randomElement(using: &hours) ?? 0
        audit = WidgetAudit(settings, hasWrongClocks: draw.hasWrongClocks)
        input = RandomWorld(
            seed: draw.seed, partitions: draw.inputPartitions, topics: settings.topics, day: draw.day,
            zones: Draw.zones, largeBytes: hasLargeRecords ? 9_000 : nil)
        readers = RandomReaders(
            seed: draw.seed, partitions: draw.inputPartitions[3], topic: settings.topics.positions)
    }

    var inputTopics: [String] { settings.topics.inputs }
    var outputTopics: [String] { settings.topics.outputs }
    var violations: [Symptom] { audit.violations }
    var isQuietAfterwards: Bool { false }

    func settings(of topic: String) -> [NewTopic.Setting] {
        topic == settings.topics.deadLetters ? [NewTopic.Setting("max.message.bytes", "1114124")] : []
    }

    func feed(_ world: World, _ random: inout SplitMix64) {
        world.wall.lapse([0, 0, 0, 1, 5, 30, 61, 130, 900].randomElement(using: &random) ?? 0)
        putWaiting(world)
        let isHolding = world.drawsReordering()
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            var now = world.wall.now
            if world.happens(.inputLate) { now = now - .hours(30) }
            if world.happens(.inputFuture) {
                // By less than what counts as observed at its arrival, or where that is one for all, by more.
                let isFar = settings.telemetryFuture != nil && world.wall.now.milliseconds % 2 == 0
                now = now + .minutes(isFar ? 70 : 4)
            }
            let next = input.next(now: now)
            if isHolding { held.append(next) } else { put(next, world) }
            last = next
        }
        if !isHolding && !held.isEmpty {
            if held.count > 1 { world.noteReordered() }
            for next in held.reversed() { put(next, world) }
            held = []
        }
        if let last, world.happens(.inputDuplicated) { put(last, world) }
        guard world.happens(.readersTold, &world.topics.random) else { return }
        for _ in 0..<Int.random(in: 1...4, using: &world.topics.random) {
            put(readers.next(now: world.wall.now), world)
        }
    }

    func feed(_ topic: String, _ world: World) -> TopicPartition? {
        let now = world.wall.now
        let drawn =
            topic == settings.topics.positions
            ? [readers.next(now: now)]
            : (0..<24).map { _ in input.next(now: now) }.filter { $0.topic == topic }
        for next in drawn { put(next, world) }
        return drawn.last.map { TopicPartition($0.topic, $0.partition) }
    }

    func archive(_ place: TopicPartition, readTo next: Offset, isReadOn: Bool, _ world: World) {
        history.archive(place, readTo: next, isReadOn: isReadOn, world.cluster)
    }

    func refill(_ topic: String, _ world: World) {
        let all = written.removeValue(forKey: topic) ?? []
        for one in all { put(one, world) }
    }

    private func putWaiting(_ world: World) {
        let all = waiting
        waiting = []
        for one in all { put(one, world) }
    }

    func endFeed(_ world: World) {
        putWaiting(world)
        for next in held { put(next, world) }
        held = []
    }

    private func put(_ input: RandomWorld.Input, _ world: World) {
        guard world.cluster.identity(of: input.topic) != nil else { return waiting.append(input) }
        written[input.topic, default: []].append(input)
        let count = world.cluster.partitionCount(of: input.topic)
        if Murmur2.partition(of: input.key, partitions: count) != input.partition {
            world.cluster.note(.foreignPartitioner)
        }
        world.cluster.append(
            input.topic, input.partition, key: input.key, value: input.value, timestamp: world.wall.now)
    }

    func take(_ record: Record) { audit.take(record) }

    func isComplete(_ world: World) -> Bool { true }

    /// As `process --until-caught-up` runs: every timeline is brought up to one instant.
    var finalTopology: Topology? {
        var settings = settings
        settings.leavesWhenCaughtUp = true
        return Topology.widgets(settings)
    }

    func judgeStanding(_ world: World) -> [Symptom] {
        audit.judgeStanding(against: history, in: world.cluster, at: world.wall.now)
    }

    func judge(_ world: World) -> [Symptom] {
        let partitions = world.draw.partitions
        let jumps = world.faults[.clockJumpsForward] + world.faults[.clockJumpsBack]
        func refills(_ recipient: String) -> Int? {
            guard world.draw.hasWrongClocks else { return nil }
            // A clock that jumped is set right in the end, and each other owner of the task has another clock.
            let task = Murmur2.partition(of: recipient, partitions: partitions)
            return jumps == 0 ? 0 : 2 * jumps + world.told.starts(of: task)
        }
        let wrong = AnnouncementAudit.WrongClocks(
            rightSince: world.clocksRightSince, furthest: world.clocksRightSince + world.clocksAheadMost)
        var symptoms = audit.judge(
            against: history, in: world.cluster, remade: world.topics.remade, at: world.wall.now, refills: refills,
            jumps == 0 ? nil : wrong)
        for place in world.topics.lost.subtracting(world.told.lost).sorted() {
            symptoms.append(Symptom(.unsaid, "\(place)"))
        }
        return symptoms
    }
}
