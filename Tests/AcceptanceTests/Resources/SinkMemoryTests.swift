import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// A sink under a limit of memory, whose target stands still while more comes than it may hold.
    @Suite struct SinkMemoryTests {
        private static let configurations = 10_000
        private static let versions = 5
        private static let limit = 256 << 20

        @Test("a target that stands still in a flood: memory stays below its limit, and later all comes once, in order")
        func stoppedTarget() async throws {
            let application = try await Application("bounded", partitions: 2)
            let settings = try application.file("memory.yaml", "memory: {limit: 256MiB}\n")
            let (server, port) = try await Self.startTarget()
            defer { server.kill() }
            // What is under way stays under way: a request that is given up is made again.
            let words = [
                "sink", "--to", "http://127.0.0.1:\(port)/timelines", "--config", settings, "--metrics",
                "127.0.0.1:0", "--set", "sink.http.batch=50", "--set", "sink.http.timeout=PT5M",
            ]
            let sink = try ProcessRunner(
                TidelineExecutable.url, words + application.options, environment: ResourceWorld.secret,
                timeout: .seconds(400))
            defer { sink.kill() }
            let address = try await Monitored.address(of: sink)
            try await Monitored.wait(for: "/health/ready", at: address, 200)
            let before = try ResourceWorld.bytes("VmHWM", of: sink)
            try await application.flood(timelines: Self.configurations, versions: Self.versions)

            let read = try await Self.recordsOnceItStands(at: address)
            let stalled = try ResourceWorld.bytes("VmHWM", of: sink)
            // A sixteenth of the limit may wait, which is 4,096 records, and one round of 2,000 is read into that.
            #expect(read > 0 && read <= 6_100, "\(read)")
            let text = try await Monitored.get("/metrics", at: address).body
            #expect(text.contains("\ntideline_memory_limit_bytes \(Self.limit)\n"), "\(text)")
            #expect(text.contains("\ntideline_memory_pressure "), "\(text)")

            // From here on memory counts as short, so the rest goes in smaller portions.
            _ = try application.file("memory.yaml", "memory: {limit: 256MiB, warningThreshold: 0.1}\n")
            sink.signal(SIGUSR2)
            let isShort = try await eventually(within: .seconds(100), every: .seconds(1)) {
                try await Monitored.get("/metrics", at: address).body.contains("\ntideline_memory_pressure 1\n")
            }
            #expect(isShort, "\(sink.errorOutput)")
            #expect(!ResourceWorld.lines("memory is short: ", in: sink).isEmpty, "\(sink.errorOutput)")

            server.signal(SIGUSR1)
            let count = Self.configurations * Self.versions
            let isDone = try await eventually(within: .seconds(240), every: .seconds(1)) {
                let text = try await Monitored.get("/metrics", at: address).body
                return Self.records(in: text) == count && text.contains(/\ntideline_sink_lag_records\{[^}]*\} 0\n/)
            }
            #expect(isDone, "\(sink.errorOutput)")
            let peak = try ResourceWorld.bytes("VmHWM", of: sink)
            let amounts = [before, stalled, peak].map { "\($0 >> 20)" }.joined(separator: ", ")
            show("a target that stands still in a flood of 200 MB: \(read) timelines read, peaks of \(amounts) MiB")
            #expect(peak < Self.limit)

            sink.terminate()
            let result = await sink.result()
            #expect(result.succeeded, "\(result.failure)")
            for outcome in [#""records":\#(count)"#, #""retries":0"#, #""deadLetters":0"#] {
                #expect(result.standardOutput.contains(outcome), "\(result.standardOutput)")
            }
            Self.expectAll(in: server.output)
        }

        /// Each version comes once and after those before it, and the last one of each configuration is there.
        private static func expectAll(in output: String) {
            var newest: [Substring: Int] = [:]
            var outOfOrder: [Substring] = []
            for line in output.split(separator: "\n").dropFirst() {
                let words = line.split(separator: " ")
                guard words.count == 2, let revision = Int(words[1]), revision > newest[words[0]] ?? 0 else {
                    outOfOrder.append(line)
                    continue
                }
                newest[words[0]] = revision
            }
            #expect(outOfOrder.isEmpty, "\(outOfOrder.prefix(10))")
            #expect(newest.count == configurations)
            #expect(newest.values.allSatisfy { $0 == versions })
        }

        /// The records that the sink has read, once it reads no more.
        private static func recordsOnceItStands(at address: String) async throws -> Int {
            var read = 0
            let stands = try await eventually(within: .seconds(120), every: .seconds(3)) {
                let found = records(in: try await Monitored.get("/metrics", at: address).body)
                defer { read = found }
                return found > 0 && found == read
            }
            #expect(stands, "\(read)")
            return read
        }

        private static func records(in text: String) -> Int {
            Int(text.firstMatch(of: /\ntideline_sink_records_total\{[^}]*\} (\d+)/)?.1 ?? "") ?? 0
        }

        // MARK: - The target

        private static func startTarget() async throws -> (server: ProcessRunner, port: String) {
            let server = try ProcessRunner(
                URL(filePath: "/usr/bin/python3"), ["-c", script], timeout: .seconds(400))
            let isThere = await eventually { server.output.hasSuffix("\n") }
            try #require(isThere, "\(server.errorOutput)")
            return (server, server.output.trimmingCharacters(in: .newlines))
        }

        /// Takes connections, and reads no body and answers nothing until SIGUSR1. Then it takes all, and writes the
        /// configuration and the revision of each timeline.
        private static let script = #"""
            import json, signal, sys, threading
            from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

            gate, lock = threading.Event(), threading.Lock()
            signal.signal(signal.SIGUSR1, lambda *_: gate.set())

            class Handler(BaseHTTPRequestHandler):
                protocol_version = "HTTP/1.1"

                def do_POST(self):
                    gate.wait()
                    body = self.rfile.read(int(self.headers["Content-Length"]))
                    timelines = [json.loads(line)["data"] for line in body.splitlines()]
                    lines = [f"{one['configurationId']} {one['revision']}\n" for one in timelines]
                    with lock:
                        sys.stdout.write("".join(lines))
                        sys.stdout.flush()
                    self.send_response(204)
                    self.end_headers()

                def log_message(self, *words):
                    pass

            class Server(ThreadingHTTPServer):
                daemon_threads = True
                request_queue_size = 64

            server = Server(("127.0.0.1", 0), Handler)
            print(server.server_port, flush=True)
            server.serve_forever()
            """#
    }
}
