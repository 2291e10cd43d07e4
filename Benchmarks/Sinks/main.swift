import Foundation
import Messages
import Postgres
import RecordLog
import SQLite
import Sinks
import TestSupport
import Timelines

// How fast sinks write, beside the target's own bulk tool, in turn: sinks-benchmark [TIMELINES
// [NAME…]]. Medians of rounds. Ends with status 1 if a ratio is below its goal.

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 50_000
let rounds = 5
let load = try SinkLoad(configurations: count)
let directory = FileManager.default.temporaryDirectory.appending(path: "tideline-sinks-\(getpid())")
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: directory) }
let tools = BulkTools(load: load, directory: directory)
try tools.prepareImport()

func seconds(_ work: () throws -> Void) rethrows -> Double {
    let began = ContinuousClock.now
    try work()
    return (ContinuousClock.now - began) / .seconds(1)
}

func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

/// The ratio that a sink must have at least, as Documentation/Performance.md has it.
let goals = ["sqlite": 0.5, "files": 0.7, "postgres": 0.5, "redis": 0.7]
var missed: [String] = []

/// Times both in turn, and prints timelines a second of each with their ratio, and what became of its goal.
@MainActor
func compare(_ name: String, _ tool: String, count: Int, _ round: (Int) throws -> (sink: Double, tool: Double)) throws {
    let named = CommandLine.arguments.dropFirst(2)
    guard named.isEmpty || named.contains(name) else { return }
    let times = try (0..<rounds).map(round)
    let (sink, bulk) = (median(times.map(\.sink)), median(times.map(\.tool)))
    let rates = "\(Int(Double(count) / sink)) timelines/s, \(tool) \(Int(Double(count) / bulk))"
    // Judged as it is printed.
    let ratio = (bulk / sink * 100).rounded() / 100
    guard let goal = goals[name] else { return print("\(name): \(rates), ratio \(ratio)") }
    if ratio < goal { missed.append(name) }
    print("\(name): \(rates), ratio \(ratio), goal \(goal): \(ratio < goal ? "missed" : "met")")
}

try compare("sqlite", ".import", count: count) { round in
    let (mine, theirs) = ("\(directory.path)/sink-\(round).db", "\(directory.path)/import-\(round).db")
    let sink = try SQLiteSink(file: mine)
    let own = try seconds { try load.write(to: sink, batch: SinkSettings(topic: "timelines").reading.batchMaximum) }
    _ = try SQLiteSink(file: theirs)
    let bulk = try seconds { try tools.runImport(into: theirs) }
    let rows = try SQLiteDatabase(theirs).integer("SELECT count(*) FROM entries")
    guard try SQLiteDatabase(mine).integer("SELECT count(*) FROM entries") == rows, rows ?? 0 > count else {
        fatalError("the tables differ")
    }
    return (own, bulk)
}

let few = try SinkLoad(configurations: min(count, 5_000))
for (name, form) in [("files", TimelineFileForm.timeline), ("ics", .calendar(WidgetKinds()))] {
    let contents = try few.records.map { record in
        let value = record.value ?? []
        if form == .timeline { return value }
        return try value.withUnsafeBytes { try TimelineCalendar($0, kinds: WidgetKinds()).bytes }
    }
    try compare(name, "write, fsync, rename", count: few.records.count) { round in
        let (mine, theirs) = ("\(directory.path)/\(name)-\(round)", "\(directory.path)/plain-\(name)-\(round)")
        let sink = try FilesSink(directory: mine, form: form, name: name)
        let own = try seconds { try few.write(to: sink, batch: SinkSettings(topic: "timelines").reading.batchMaximum) }
        try FileManager.default.createDirectory(atPath: theirs, withIntermediateDirectories: true)
        let bulk = seconds { BulkTools(load: few, directory: directory).write(contents, form.suffix, to: theirs) }
        return (own, bulk)
    }
}

let http = try HTTPTarget(few, in: directory)
try compare("http", "curl --parallel", count: few.records.count) { _ in
    let cluster = http.makeCluster()
    let own = try seconds { try http.run(on: cluster) }
    let bulk = try seconds { try http.runCurl() }
    guard try http.holdsAll() else { fatalError("nginx does not hold all") }
    return (own, bulk)
}
http.end()
try tools.prepareCopy()
let server = try waiting { try await PostgresServer(settings: []) }
try compare("postgres", "\\copy and upsert", count: count) { _ in
    let (mine, theirs) = try waiting { (try await server.makeDatabase(), try await server.makeDatabase()) }
    let sink = PostgresSink(try PostgresAddress(server.url(mine)))
    _ = try sink.positions(of: "timelines")
    let own = try seconds { try load.write(to: sink, batch: SinkSettings(topic: "timelines").reading.batchMaximum) }
    _ = try PostgresSink(PostgresAddress(server.url(theirs))).positions(of: "timelines")
    let commands = tools.copyCommands
    let bulk = try seconds {
        let result = try waiting { try await server.startPsql(theirs, commands).result() }
        guard result.succeeded else { fatalError(result.standardError) }
    }
    let sums = "SELECT count(*), sum(hashtext(entries::text)) FROM entries"
    guard try waiting({ try await server.psql(mine, sums) }) == waiting({ try await server.psql(theirs, sums) }) else {
        fatalError("the tables differ")
    }
    return (own, bulk)
}
try waiting { await server.stop() }
let redis = try RedisTool(load, directory: directory)
try compare("redis", "redis-cli --pipe", count: count) { _ in
    let sink = try redis.sink()
    let own = try seconds { try load.write(to: sink, batch: SinkSettings(topic: "timelines").reading.batchMaximum) }
    sink.close()
    let mine = try redis.empty()
    let bulk = try seconds { try redis.runPipe() }
    guard try redis.empty() == mine else { fatalError("the keys differ") }
    return (own, bulk)
}
redis.end()
if !missed.isEmpty {
    print("missed by \(missed.joined(separator: ", "))")
    try? FileManager.default.removeItem(at: directory)
    exit(1)
}
