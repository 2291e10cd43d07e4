import Foundation
import RdKafka
import RecordLog

/// `tideline serve` on a broker of its own, with so many timelines of about 1 KB.
final class LiveServer {
    let server: ServerProcess
    let port: Int
    private let folder: URL
    private let producer: any TransactionalProducer
    private var revisions: [Int]

    /// - Parameter tideline: the built program.
    init(tideline: String, timelines: Int) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "serve-benchmark-\(getpid())")
        let broker = try Net.freePort()
        try Self.run("Scripts/test-broker", ["start", folder.path, "\(broker)"])
        // The broker ends with this process, whatever ends that.
        try Self.start("Scripts/test-broker", ["guard", folder.path, "\(getpid())"])
        let bootstrap = "127.0.0.1:\(broker)"
        try Self.run(tideline, ["topics", "--bootstrap", bootstrap])
        let cluster = RdKafkaCluster(RdKafkaSettings(bootstrapServers: bootstrap))
        producer = try cluster.makeTransactionalProducer(transactionalId: "benchmark", clientId: "serve-benchmark")
        try producer.initialise(timeout: .seconds(30))
        revisions = Array(repeating: 1, count: timelines)
        try producer.begin()
        for number in 0..<timelines { try Self.write(number, revision: 1, with: producer) }
        try producer.commit(timeout: .seconds(60))

        port = try Net.freePort()
        server = try ServerProcess(
            tideline, ["serve", "--bootstrap", bootstrap, "--listen", "127.0.0.1:\(port)"],
            quietly: folder.appending(path: "serve.log"))
        try waitUntilReady()
    }

    deinit {
        server.end()
        producer.destroy()
        try? Self.run("Scripts/test-broker", ["kill", folder.path])
        try? FileManager.default.removeItem(at: folder)
    }

    /// Commits a new revision of a timeline. Returns the time at which the broker had answered.
    func change(_ number: Int) throws -> Int64 {
        revisions[number] += 1
        try producer.begin()
        try Self.write(number, revision: revisions[number], with: producer)
        try producer.commit(timeout: .seconds(10))
        return Net.now
    }

    private static func write(_ number: Int, revision: Int, with producer: any TransactionalProducer) throws {
        let title = String(repeating: "A meeting in the large room. ", count: 9)
        let entries = (0..<2).map { entry in
            """
            {"date":"2026-03-02T0\(8 + entry):00:00Z","id":"e\(entry)","kind":"event","title":"\(title)",\
            "relevance":{"score":1}}
            """
        }
        let value = """
            {"configurationId":"c-\(number)","kind":"events","family":"systemSmall","recipient":"c-\(number)",\
            "revision":\(revision),"generatedAt":"2026-03-02T08:00:00Z","entries":[\(entries.joined(separator: ","))],\
            "refreshCount":\(revision),"policy":{"type":"atEnd"},"nextUpdate":"2026-03-02T09:00:00Z","sources":[]}
            """
        var key = "c-\(number)"
        var text = value
        try key.withUTF8 { key in
            try text.withUTF8 { value in
                try producer.produce(
                    topic: "timelines", partition: nil, key: UnsafeRawBufferPointer(key),
                    value: UnsafeRawBufferPointer(value), headers: [])
            }
        }
    }

    private func waitUntilReady() throws {
        let end = Net.now + 60_000_000_000
        while Net.now < end {
            if (try? GetLoad(port: port, target: "/health/ready", connections: 1, seconds: 0).run()) != nil { return }
            usleep(100_000)
        }
        let log = (try? String(contentsOf: folder.appending(path: "serve.log"), encoding: .utf8)) ?? ""
        throw BenchmarkError(description: "tideline serve does not become ready:\n\(log)")
    }

    private static func run(_ executable: String, _ arguments: [String]) throws {
        var status: Int32 = 0
        waitpid(try start(executable, arguments), &status, 0)
        guard status == 0 else {
            throw BenchmarkError(description: "\(executable) \(arguments.joined(separator: " ")) failed")
        }
    }

    /// Starts a program that writes to standard error alone. Foundation's `Process` would wait for the broker, too,
    /// which the script leaves behind.
    @discardableResult
    private static func start(_ executable: String, _ arguments: [String]) throws -> pid_t {
        let words = [executable] + arguments
        var pointers = words.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, 2, 1)
        var identifier: pid_t = 0
        guard posix_spawnp(&identifier, executable, &actions, nil, &pointers, environ) == 0 else {
            throw BenchmarkError(description: "\(executable) cannot be started")
        }
        return identifier
    }
}
