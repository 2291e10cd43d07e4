import Foundation
import HTTPServer
import Observability
import RdKafka
import Settings
import Synchronization
import Testing

@testable import tideline

/// When memory is short, and what the settings of memory may be. No broker.
@Suite struct MemoryWatchTests {
    private static let mebibyte = 1 << 20

    /// A watch over a process of which the test says how much is resident.
    private final class World: Sendable {
        let resident = Mutex(0)
        let lines = Mutex<[String]>([])

        func watch(limit: Int?, _ settings: Settings) -> MemoryWatch {
            let stream = LogStream { [self] line in lines.withLock { $0.append(String(line.dropFirst(25).dropLast())) }
            }
            let logger = Logger(
                label: "t", handler: StreamLogHandler(label: "t", level: .info, stream: stream) { Date() })
            return MemoryWatch(limit: limit, threshold: LiveSetting(Keys.memoryWarningThreshold, settings), logger) {
                [self] in resident.withLock { $0 }
            }
        }
    }

    private static func settings(_ flags: [String: String]) throws(SettingsProblems) -> Settings {
        let flags = flags.sorted { $0.key < $1.key }.map {
            SettingsSources.Flag(key: $0.key, text: $0.value, flag: "--set")
        }
        return try Keys.schema.resolve(SettingsSources(flags: flags, environment: [:], file: nil))
    }

    @Test("it is short from the threshold on, until a tenth below it: one line each, and a trim a minute meanwhile")
    func hysteresis() throws {
        let world = World()
        let watch = world.watch(limit: 100 * Self.mebibyte, try Self.settings([:]))
        func look(_ mebibytes: Int, at second: Int) -> Bool {
            world.resident.withLock { $0 = mebibytes * Self.mebibyte }
            watch.look(now: .seconds(second))
            return watch.isShort
        }
        #expect(!look(79, at: 0) && watch.trimCount == 0)
        #expect(look(80, at: 1) && watch.trimCount == 1)
        #expect(look(75, at: 2) && look(95, at: 3) && watch.trimCount == 1)
        #expect(look(72, at: 61) && watch.trimCount == 2)
        #expect(!look(71, at: 62) && !look(79, at: 63))
        let lines = world.lines.withLock { $0 }
        #expect(lines.count == 2)
        #expect(
            lines.first?.hasPrefix("warning  memory is short: 80.0 MiB of 100.0 MiB are resident") == true, "\(lines)")
        #expect(lines.last?.hasPrefix("notice   memory is no longer short: 71.0 MiB") == true, "\(lines)")
        #expect(lines.last?.contains("lastedMs=61000") == true, "\(lines)")
    }

    @Test("without a limit it is never short")
    func unlimited() throws {
        let world = World()
        let watch = world.watch(limit: nil, try Self.settings([:]))
        world.resident.withLock { $0 = 1 << 50 }
        watch.look(now: .seconds(1))
        #expect(!watch.isShort && watch.trimCount == 0 && world.lines.withLock { $0 }.isEmpty)
    }

    @Test("many sinks of one process share what a few may have", arguments: [1, 4, 8, 9, 40])
    func shares(parts: Int) {
        let limit = 512 * Self.mebibyte
        let clients = MemoryShares.clients(of: limit, parts: parts)
        let outstanding = MemoryShares.outstanding(of: limit, parts: parts)
        // Queues of a thirty-second for each consumer.
        #expect(clients <= limit && clients / 32 * parts <= limit / 4)
        #expect(outstanding <= limit / 16 && outstanding * parts <= limit / 4)
        #expect(clients > 0 && outstanding > 0)
        if parts <= 4 { #expect(clients == limit && outstanding == limit / 16) }
    }

    @Test("the queues of many sinks are measured by less memory", arguments: [(2, 256), (8, 256), (16, 128), (64, 32)])
    func sharedQueues(parts: Int, mebibytes: Int) throws {
        let settings = try Self.settings([:])
        let kafka = RdKafkaSettings(bootstrapServers: "127.0.0.1:1", memoryLimit: 256 * Self.mebibyte)
        let environment = Environment(
            settings: settings, log: Environment.makeLog(settings), cluster: RdKafkaCluster(kafka))
        let shared = try #require(environment.shared(among: parts).cluster as? RdKafkaCluster)
        #expect(shared.settings.memoryLimit == mebibytes * Self.mebibyte)
    }

    @Test("the bodies of all requests have an eighth of the limit at most")
    func bodies() throws {
        #expect(ServeReading(try Self.settings(["memory.limit": "128MiB"])).server().bodiesLimit == 16 * Self.mebibyte)
        #expect(ServeReading(try Self.settings(["memory.limit": "off"])).server().bodiesLimit == 256 * Self.mebibyte)
    }

    @Test("what contradicts the limit is refused with both names")
    func contradictions() throws {
        #expect(try Self.settings(["memory.limit": "1.5GiB"]).memoryLimit == 1536 << 20)
        #expect(try Self.settings(["memory.limit": "off"]).memoryLimit == nil)
        let fits = ["memory.limit": "256MiB", "kafka.queued.max.messages.kbytes": "32768"]
        #expect(try Self.settings(fits).memoryLimit == 256 << 20)
        let contradictions = [
            ("kafka.queued.max.messages.kbytes", "32769"), ("kafka.queue.buffering.max.kbytes", "131073"),
            ("serve.limits.stream-buffer", "16777217"), ("serve.limits.body", "16777217"),
        ]
        for (name, value) in contradictions {
            #expect {
                try Self.settings(["memory.limit": "256MiB", name: value])
            } throws: { error in
                let text = "\(error)"
                return text.contains("\(name) is \(value)") && text.contains("memory.limit is 256MiB")
            }
        }
        for (name, value) in [("memory.limit", "63MiB"), ("memory.limit", "much"), ("memory.warningThreshold", "1.1")] {
            #expect { try Self.settings([name: value]) } throws: { "\($0)".contains("\(name) is '\(value)'") }
        }
    }
}
