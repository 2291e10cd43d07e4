import FaultInjection
import Foundation
import RecordLog
import SplitMix
import TestSupport
import Testing

/// All that every sink is asked for, of the real program on a real broker, one demand after the other over one target.
struct SinkSuite {
    let target: any TargetUnderTest
    let application: Application
    var feed: SinkFeed
    /// The moments of kills.
    var numbers = SplitMix64(seed: 1)

    /// What the functions below demand, in their order, as Documentation/Sinks.md has it.
    static let demands: [(name: String, text: String)] = [
        ("Reads all, once.", "A run that finds nothing new writes nothing; a sink without positions writes all again."),
        (
            "Takes away and leaves out.",
            """
            A tombstone takes a timeline away. A record that is no timeline becomes a dead letter, once, and those \
            before and after it are written, those of its configuration, too. It becomes one again where the sink is \
            killed between the letter and its positions; with `http:` both are one transaction, and `stdout` reads it \
            at each start.
            """
        ),
        ("Stops in order.", "SIGTERM in the middle of writing ends it with status 0; the next run writes the rest."),
        (
            "Keeps the newest.",
            "An older timeline that comes again after a newer one is left out or written, as the table says."
        ),
        (
            "Survives.",
            "`kill -9` of the sink at any moment; the target taken away in the middle of writing, or before the sink "
                + "starts. The sink says once that it waits, and goes on by itself when the target is back: that, too,"
                + " is said once, with how long it was away."
        ),
        (
            "Survives at its calls.",
            """
            `kill -9` at the very system call by which it writes: at the last ones of a batch, among which is the \
            commit, and at others by chance. Of `http:` these are the calls of its requests, and then those to the \
            broker, by which its ledger is committed.
            """
        ),
        (
            "Waits for a slow target.",
            "One that answers nothing for six seconds, and then goes on, loses nothing. No disk answers nothing: there "
                + "one call of the sink lasts so long."
        ),
        (
            "Outlasts.",
            "An outage of many seconds, with `make sink-faults` longer than any pause between attempts: the sink runs "
                + "on, and writes when the target is back."
        ),
        (
            "Doubts what is not there.",
            "A server of `http:` on which nothing is deployed answers 404 to all. That is an outage, too: nothing is a "
                + "dead letter, and what was to be removed is removed when the server is back."
        ),
        (
            "Waits for room.",
            """
            A target that is full is waited for; with room the sink goes on by itself. A broker of `kafka:` tells \
            nobody that its disk is full: it gives its log directory up, and ends. So the suite makes room, and starts \
            the broker again.
            """
        ),
        (
            "Stands alone.",
            "Of two sinks of one target one goes on, as the table says, and the other ends with status 70."
                + " One that was refused beside other sinks of its process tries again; one that was taken over stays"
                + " ended."
        ),
        (
            "Starts over.",
            """
            A topic that was deleted and made again is read from its beginning, though it is longer than before, and \
            the sink says so. What the new topic does not have stays in the target as it was, but with `stdout`, for \
            [it may be right](Consuming.md#what-a-topic-made-again-lacks). From files, calendars, tables and keys \
            `--remove-absent` removes it, in a run that ends, once somebody agrees.
            """
        ),
    ]

    var guarantee: SinkGuarantee { target.guarantee }

    init(_ target: any TargetUnderTest) async throws {
        self.target = target
        application = try await Application("suite-\(target.guarantee.scheme)")
        feed = try await SinkFeed(target.guarantee.content, of: application)
    }

    // MARK: - Running the sink

    /// - Parameter tracer: a program that runs it.
    func start(_ more: String..., under tracer: [String] = []) throws -> ProcessRunner {
        let words = ["sink", guarantee.content.flag, target.address] + target.options + more + application.options
        let line = try target.launcher() + tracer + [TidelineExecutable.url.path] + words
        return try ProcessRunner(
            URL(filePath: line[0]), Array(line.dropFirst()), environment: target.environment, timeout: .seconds(300))
    }

    /// Runs it until it has read all, which must end well and leave what the topic says.
    ///
    /// - Parameters:
    ///   - left: what the target is to hold besides.
    ///   - removesAbsent: it is asked to remove what the topic does not have.
    @discardableResult
    func catchUp(besides left: [String: Data] = [:], removesAbsent: Bool = false) async throws -> ProcessResult {
        let sink =
            try removesAbsent
            ? start("--until-caught-up", "--remove-absent", "--yes") : start("--until-caught-up")
        let result = await sink.result()
        try #require(result.succeeded, "\(guarantee.scheme): \(result.failure)")
        expectNoSecret(in: result.standardOutput + result.standardError)
        try await expectAll(besides: left)
        return result
    }

    private func expectNoSecret(in text: String) {
        for secret in target.secrets { #expect(!text.contains(secret), "\(guarantee.scheme): a secret is told") }
    }

    /// What the target holds is the compacted topic, row by row, and what is `left`. kcat reads the topic, the target's
    /// own tool the rows.
    private func expectAll(besides left: [String: Data]) async throws {
        let wanted = left.merging(try await shown()) { _, new in new }
        let held = try await target.contents()
        #expect(held.keys.sorted() == wanted.keys.sorted(), "\(guarantee.scheme): others are there")
        let wrong = wanted.keys.sorted().filter { held[$0] != wanted[$0] }
        #expect(wrong.isEmpty, "\(guarantee.scheme): \(wrong.count) are not as in the topic: \(wrong.prefix(3))")
        try await target.examine()
    }

    /// What a reader is to see of the topic, which is compacted where timelines are in it.
    private func shown() async throws -> [String: Data] {
        let topic = application.topic(guarantee.content.topic)
        let records = try await KafkaTarget.records(of: topic, at: application.bootstrap)
        return try guarantee.content.held(of: records).mapValues(target.shown)
    }

    /// What the target holds becomes the compacted topic while the sink runs: no later run makes that good.
    func expectAll(soonBy sink: ProcessRunner) async throws {
        let wanted = try await shown()
        let isThere = await eventually(within: .seconds(60), every: .milliseconds(200)) {
            (try? await target.contents()) == wanted
        }
        #expect(isThere && sink.isRunning, "\(guarantee.scheme): it does not catch up\n\(sink.errorOutput)")
    }

    /// The target itself says that no record was written twice, where that is promised.
    ///
    /// - Returns: the records that it says.
    @discardableResult
    func expectNoneTwice() async throws -> [String] {
        let written = try await target.writtenRecords()
        if guarantee.writes == .exactlyOnce {
            #expect(Set(written).count == written.count && !written.isEmpty, "\(guarantee.scheme): written twice")
        }
        return written
    }

    func expectProgress(from before: Int, of sink: ProcessRunner) async throws {
        let isWriting = try await eventually(within: .seconds(60), every: .milliseconds(5)) {
            try await target.progress() != before
        }
        #expect(isWriting && sink.isRunning, "\(guarantee.scheme): nothing is written\n\(sink.errorOutput)")
    }

    // MARK: - What is demanded

    /// All is written, and once more only where no positions are kept.
    func reads() async throws {
        try await catchUp()
        let before = try await target.progress()
        let result = try await catchUp()
        let after = try await target.progress()
        if guarantee.positions == nil {
            #expect(after == before + feed.ids.count)
        } else {
            let text = result.standardOutput + result.standardError
            #expect(after == before && text.contains(#""records":0"#), "\(guarantee.scheme): \(result.failure)")
        }
    }

    /// A tombstone takes a timeline away. What is no timeline is a dead letter, and what is around it is written.
    mutating func leavesOut() async throws {
        guard guarantee.content == .timelines else { return try await leavesOutNoReloads() }
        let before = try await application.records(of: "tideline.dead-letters").count
        let gone = Set(feed.ids.prefix(5))
        // Its good timeline is read with the bad one.
        let id = feed.ids[feed.ids.count / 2 - 1]
        try #require(!gone.contains(id))
        let words = Array("no timeline".utf8)
        try await feed.publish(
            gone: gone, inTheMiddle: [(key: "bad", value: words, headers: []), (key: id, value: words, headers: [])])
        // What the other bad record names stays as it was: it was never there.
        let result = try await start("--until-caught-up").result()
        #expect(result.succeeded, "\(guarantee.scheme): \(result.failure)")
        let contents = try await target.contents()
        #expect(contents.keys.sorted() == Array(feed.ids.dropFirst(5)))
        let values = try await application.records(of: "timelines").filter { $0.keyText == id }.map { $0.value ?? [] }
        let good = try target.shown(Data(values.dropLast().last ?? []))
        #expect(contents[id] == good, "\(guarantee.scheme): the timeline before a bad one is lost")
        let letters = try await application.records(of: "tideline.dead-letters").dropFirst(before)
        #expect(letters.map(\.keyText).sorted() == ["bad", id].sorted(), "\(guarantee.scheme): \(result.failure)")
        // From here on the topic has no bad record that counts.
        try await application.produce([(key: "bad", value: nil, headers: [])], to: "timelines")
        try await feed.publish()
        try await catchUp()
    }

    /// What is no reload is a dead letter, and what is around it is written. A tombstone is none.
    private mutating func leavesOutNoReloads() async throws {
        let before = try await application.records(of: "tideline.dead-letters").count
        try await feed.publish(inTheMiddle: [
            (key: "bad", value: Array("no reload".utf8), headers: []), (key: "gone", value: nil, headers: []),
        ])
        let result = try await catchUp()
        let letters = try await application.records(of: "tideline.dead-letters").dropFirst(before)
        #expect(letters.map(\.keyText).sorted() == ["bad", "gone"], "\(guarantee.scheme): \(result.failure)")
    }

    /// SIGTERM in the middle of writing is an end in order. The run after it has something to write; where the sink had
    /// been faster than the signal, it is stopped again with more to do.
    mutating func stops() async throws {
        var wasInTheMiddle = false
        // Several batches each, for which the stream of Redis has room. What has no positions writes all again anyway.
        for versions in guarantee.positions == nil ? [3] : [20, 30] + Array(repeating: 40, count: 8)
        where !wasInTheMiddle {
            try await feed.publish(versions: versions)
            let before = try await target.progress()
            let sink = try start()
            try await expectProgress(from: before, of: sink)
            sink.terminate()
            let result = await sink.result()
            #expect(result.succeeded, "\(guarantee.scheme): \(result.failure)")
            let left = try await target.progress()
            try await catchUp()
            wasInTheMiddle = try await target.progress() != left
        }
        #expect(wasInTheMiddle, "\(guarantee.scheme): all was written before it was stopped")
    }

    /// Kills the sink, and takes the target away, in the middle of writing or before the sink starts, by turns.
    ///
    /// - Returns: the figures, for people.
    mutating func survives(kills: Int, outages: Int) async throws -> String {
        let outages = guarantee.outage == nil ? 0 : min(kills, outages)
        var begun = 0
        for kill in 0..<kills {
            let before = try await target.progress()
            let sink: ProcessRunner
            if kill * outages / kills != (kill + 1) * outages / kills {
                sink = try await outage(atTheStart: begun % 2 == 1)
                begun += 1
            } else {
                sink = try start()
                try await feed.publish()
                try await expectProgress(from: before, of: sink)
            }
            try await Task.sleep(for: .milliseconds(Int64(numbers.next() % 120)))
            sink.kill()
            expectNoSecret(in: await sink.result().standardError)
        }
        try await catchUp()
        let written = try await expectNoneTwice()
        return "kill -9 of the sink \(kills) times, \(begun) outages (\(guarantee.outage ?? "none")): "
            + "\(feed.ids.count) timelines equal the topic"
            + (written.isEmpty ? "" : "; \(written.count) written, none twice")
    }

    /// Gives the sink that has met the outage, and writes again.
    private mutating func outage(atTheStart: Bool) async throws -> ProcessRunner {
        let before = try await target.progress()
        if atTheStart { try await target.takeAway() }
        let sink = try start()
        try await feed.publish()
        if !atTheStart {
            try await expectProgress(from: before, of: sink)
            try await target.takeAway()
            try await feed.publish()
        }
        let isTold = await eventually(within: .seconds(60)) { sink.errorOutput.contains("trying again") }
        #expect(isTold && sink.isRunning, "\(guarantee.scheme): the outage is not told\n\(sink.errorOutput)")
        try await target.bringBack()
        let back = try await target.progress()
        try await feed.publish()
        try await expectProgress(from: back, of: sink)
        await expectToldOnce(by: sink)
        return sink
    }

    /// The sink has said once that it waits, and after that that it goes on, with how long the outage was. An obstacle
    /// of another kind, such as a server that starts and takes nobody yet, is a line more, and may have an end of its
    /// own.
    private func expectToldOnce(by sink: ProcessRunner) async {
        func lines(_ words: String...) -> [String] {
            sink.errorOutput.split(separator: "\n").map(String.init).filter { line in
                words.contains { line.contains($0) }
            }
        }
        func isEnd(_ line: String) -> Bool { line.contains(Self.goesOn) || line.contains(Self.goesOnSending) }
        func toldLines() -> [String] { lines("trying again", Self.goesOn, Self.goesOnSending) }
        // The line may be behind what was written. An earlier end is none: of requests under way to a server that dies,
        // some fail before others are answered.
        _ = await eventually { toldLines().last.map(isEnd) == true }
        let told = toldLines()
        let ends = told.filter(isEnd)
        let scheme = guarantee.scheme
        for waits in told.split(whereSeparator: isEnd) {
            // Without the time before it.
            let waits = waits.map { String($0.drop { $0 != " " }).replacing(/retryInMs=.*/, with: "") }
            #expect(Set(waits).count == waits.count, "\(scheme): an outage is told again\n\(sink.errorOutput)")
        }
        #expect(told.last.map(isEnd) == true, "\(scheme): the last word is not that it goes on\n\(told)")
        #expect(
            (1...max(1, told.count - ends.count)).contains(ends.count), "\(scheme): its end is told otherwise\n\(told)")
        #expect(ends.allSatisfy { $0.contains("awayMs") }, "\(scheme): it is not told how long\n\(told)")
    }

    private static let goesOn = "the sink can write again, and goes on"
    private static let goesOnSending = "takes records again"

    /// Starts a second sink of the same target beside the first.
    mutating func standsAlone() async throws {
        let before = try await target.progress()
        let first = try start()
        try await feed.publish()
        try await expectProgress(from: before, of: first)
        let second = try start()
        switch guarantee.second {
        case .isRefused:
            let result = await second.result()
            #expect(result.status == 70 && !result.isSignalled, "\(guarantee.scheme): \(result.failure)")
            #expect(first.isRunning, "\(guarantee.scheme): \(first.errorOutput)")
        case .takesOver:
            // The first hears of it when it writes next.
            let isOver = try await eventually(within: .seconds(60), every: .seconds(1)) {
                try await feed.publish()
                return !first.isRunning
            }
            #expect(isOver && second.isRunning, "\(guarantee.scheme): \(first.errorOutput)\n\(second.errorOutput)")
            let result = await first.result()
            #expect(result.status == 70, "\(guarantee.scheme): \(result.failure)")
        case .runsBeside:
            let now = try await target.progress()
            try await feed.publish()
            let wanted = now + 2 * feed.ids.count
            let areWriting = try await eventually { try await target.progress() >= wanted }
            #expect(areWriting && first.isRunning && second.isRunning, "\(guarantee.scheme): \(second.errorOutput)")
        }
        for sink in [first, second] where sink.isRunning {
            sink.terminate()
            let result = await sink.result()
            #expect(result.succeeded, "\(guarantee.scheme): \(result.failure)")
        }
        try await catchUp()
    }

    /// A topic that was deleted and made again, and is longer than before, is read from its beginning. It is said. What
    /// it does not have any more stays where it is kept, of reloads all, until somebody asks for its removal.
    mutating func startsOver() async throws {
        let gone = Set(feed.ids.prefix(2))
        let isOfTimelines = guarantee.content == .timelines
        let left = try await target.contents().filter { !isOfTimelines || gone.contains($0.key) }
        #expect(isOfTimelines ? left.count == gone.count : !left.isEmpty, "\(guarantee.scheme): \(left.count) left")
        let topic = application.topic(guarantee.content.topic)
        try await application.tool("org.apache.kafka.tools.TopicCommand", "--delete", "--topic", topic)
        try await application.run("topics", "--partitions", "4")
        // Each partition is longer, also those that lack some.
        try await feed.publish(versions: feed.versions * 11 / 10 + 4, without: gone)
        let result = try await catchUp(besides: guarantee.positions == nil ? [:] : left)
        let isTold = result.standardError.contains("the topic was made anew")
        #expect(isTold == (guarantee.positions != nil), "\(guarantee.scheme): \(result.failure)")
        guard guarantee.saysWhatItHolds else { return }
        let last = try await catchUp(removesAbsent: true)
        #expect(last.standardOutput.contains(#""removed":\#(gone.count)"#), "\(guarantee.scheme): \(last.failure)")
    }
}
