import Foundation
import Messages
import Redis
import RecordLog
import Sinks

/// A Redis of the benchmark's own, and `redis-cli --pipe`, which sends it the commands by which the sink writes as
/// fast as anybody can.
final class RedisTool {
    private let port: Int
    private let input: URL
    private let server = Process()

    /// Starts the server, and writes what `--pipe` reads. Not timed: the tool finds its file ready.
    init(_ load: SinkLoad, directory: URL, port: Int = 22_960) throws {
        self.port = port
        input = directory.appending(path: "pipe")
        var commands = Data()
        let batch = SinkSettings(topic: "timelines").reading.batchMaximum
        for (index, (record, timeline)) in zip(load.records, load.timelines).enumerated() {
            let (id, recipient) = (record.configurationId, timeline.recipient)
            Self.add(["SET", "tideline:timeline:\(id)"], record.value ?? [], to: &commands)
            Self.add(["SADD", "tideline:recipient:\(recipient)", id], to: &commands)
            Self.add(
                [
                    "XADD", "tideline:changes", "*", "change", "written", "configurationId", id, "kind", timeline.kind,
                    "recipient", recipient, "revision", "1", "partition", "0", "offset", "\(record.offset)",
                ], to: &commands)
            // The sink cuts the stream once a transaction.
            guard (index + 1) % batch == 0 || index + 1 == load.records.count else { continue }
            Self.add(["XTRIM", "tideline:changes", "MAXLEN", "~", "10000"], to: &commands)
        }
        try commands.write(to: input)
        server.executableURL = URL(filePath: "/usr/bin/redis-server")
        server.arguments = ["--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--dir", directory.path]
        server.standardOutput = FileHandle.nullDevice
        try server.run()
        while (try? RedisConnection(address)) == nil { usleep(20_000) }
    }

    deinit { end() }

    func end() {
        guard server.isRunning else { return }
        server.terminate()
        server.waitUntilExit()
    }

    private var address: RedisAddress {
        get throws { try RedisAddress("127.0.0.1:\(port)") }
    }

    func sink() throws -> RedisSink {
        RedisSink(try address, owner: "benchmark", now: { .seconds(ProcessInfo.processInfo.systemUptime) })
    }

    /// Empties it, and returns how many keys there were.
    func empty() throws -> RedisReply {
        let connection = try RedisConnection(address)
        let count = try connection.run(["EVAL", "return #redis.call('KEYS', 'tideline:[tr]*')", "0"])
        try connection.run(["FLUSHALL"])
        return count
    }

    func runPipe() throws {
        let tool = Process()
        tool.executableURL = URL(filePath: "/usr/bin/redis-cli")
        tool.arguments = ["-p", "\(port)", "--pipe"]
        tool.standardInput = try FileHandle(forReadingFrom: input)
        tool.standardOutput = FileHandle.nullDevice
        try tool.run()
        tool.waitUntilExit()
        guard tool.terminationStatus == 0 else { fatalError("redis-cli ended with \(tool.terminationStatus)") }
    }

    private static func add(_ words: [String], _ last: [UInt8]? = nil, to data: inout Data) {
        data += Data("*\(words.count + (last == nil ? 0 : 1))\r\n".utf8)
        for word in words { data += Data("$\(word.utf8.count)\r\n\(word)\r\n".utf8) }
        if let last { data += Data("$\(last.count)\r\n".utf8) + last + Data("\r\n".utf8) }
    }
}
