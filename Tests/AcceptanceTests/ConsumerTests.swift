import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// Examples/consumers against what the program really sends, with Debian's Python as in their image.
    @Suite struct ConsumerTests {
        private static let python = URL(filePath: "/usr/bin/python3")
        private static let folder = PackageRoot.url.appending(path: "Examples/consumers")
        private static let secret = "whsec_dGlkZWxpbmUncyBjb21wb3NpdGlvbiBmb3IgdHJpYWxz"
        private static let clock = "2026-11-20T09:00:00Z"

        @Test(
            "the receiver shows each reload once; what is wrongly signed gets 401, and nothing of it is lost or shown")
        func receiver() async throws {
            let application = try await Application("receiver", partitions: 2)
            try await application.publish(configurations: Self.configurations(4))
            let summary = try await application.process(clock: Self.clock)
            #expect(summary.reloads == 4)

            let receiver = try ProcessRunner(
                Self.python, [Self.folder.appending(path: "webhook_receiver.py").path],
                environment: ["WEBHOOK_SECRET": Self.secret, "PORT": "0"])
            #expect(await eventually { receiver.output.hasSuffix("\n") }, "\(receiver.errorOutput)")
            let port = try #require(receiver.output.firstMatch(of: /port ([0-9]+)/)).1
            let words = ["sink", "--reloads", "http://127.0.0.1:\(port)/reloads"] + application.options
            let wrong = try ProcessRunner(
                TidelineExecutable.url, words, environment: ["TIDELINE_WEBHOOK_SECRET": "another secret of 24 bytes"])
            #expect(await eventually { wrong.errorOutput.contains("status 401") }, "\(wrong.errorOutput)")
            wrong.terminate()
            #expect(await wrong.result().status == 0)
            #expect(Self.shown(receiver).isEmpty)

            let right = try await tideline(
                words + ["--until-caught-up"], environment: ["TIDELINE_WEBHOOK_SECRET": Self.secret])
            #expect(right.standardOutput.contains("\"delivered\":4"), "\(right.failure)")
            let shown = Self.shown(receiver)
            #expect(shown.count == 4, "\(shown)")
            for number in 0..<4 {
                let line = "r\(number): reload K (c\(number)), configurationChanged"
                #expect(shown.count { $0.contains(line) } == 1, "\(shown)")
            }

            let posts = try await ProcessRunner.run(Self.python, ["-c", Self.posts, String(port), Self.secret])
            #expect(
                posts.standardOutput == "204 204 401 401 401 401 401\n", "\(posts.failure)\n\(receiver.errorOutput)")
            #expect(Self.shown(receiver).count == 5, "the same once more is not shown")
            receiver.terminate()
            _ = await receiver.result()
            show(
                "webhook_receiver.py: \(shown.count) reloads shown; 401 to another secret and to what was tampered with"
            )
        }

        /// The lines about reloads.
        private static func shown(_ receiver: ProcessRunner) -> [Substring] {
            receiver.output.split(separator: "\n").filter { $0.contains(": reload ") }
        }

        /// Posts a reload that is signed, the same again, one of an hour ago, one whose body, id or signature is
        /// another, and one without a signature; prints the statuses.
        private static let posts = """
            import base64, hashlib, hmac, json, sys, time, http.client
            port, key = int(sys.argv[1]), base64.b64decode(sys.argv[2][6:])
            body = json.dumps({"recipient": "x", "kind": "K", "configurationIds": [], "reason": "requested",
                               "issuedAt": "now", "budget": {"remaining": 1}}).encode()
            def post(sent, signed="id", id="id", body=body, sign=body, change=lambda text: text):
                code = hmac.new(key, f"{signed}.{sent}.".encode() + sign, hashlib.sha256).digest()
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
                connection.request("POST", "/reloads", body, {
                    "webhook-id": id, "webhook-timestamp": str(sent),
                    "webhook-signature": change("v1," + base64.b64encode(code).decode())})
                return str(connection.getresponse().status)
            now = int(time.time())
            print(post(now), post(now), post(now - 3600), post(now, body=b"{}"), post(now, id="other"),
                  post(now, change=lambda text: "v1,AAAA v1,\u{e4}"), post(now, change=lambda text: ""))
            """

        @Test("the board shows the newest of each configuration and what comes next, and drops what is deleted")
        func board() async throws {
            let application = try await Application("board", partitions: 3)
            try await application.publish(configurations: Self.configurations(3))
            let now = Date()
            let event = """
                {"calendarId": "crew", "uid": "brief", "title": "Briefing", "start": "\(Self.instant(now + 600))", \
                "end": "\(Self.instant(now + 1200))"}
                """
            try await application.run("produce", "calendar", "--json", try application.file("events.jsonl", event))
            _ = try await application.process(clock: Self.instant(now))
            let board = try ProcessRunner(
                Self.python,
                [
                    Self.folder.appending(path: "board.py").path, application.bootstrap,
                    application.topic("timelines"),
                ])
            #expect(
                await eventually { Self.last(board)["c2"] != nil },
                "Scripts/setup test installs what it needs. \(board.errorOutput)")
            let first = Self.last(board)
            #expect(first.keys.sorted() == ["c0", "c1", "c2"])
            for text in first.values {
                // A day that begins within the lead has an entry, too.
                #expect(text.contains(/^(preEvent: Briefing|day) +[0-9:]{8} (start: Briefing|day)$/), "\(text)")
            }

            try await application.publish(
                configurations: """
                    {"configurationId": "c1", "deleted": true}
                    {"configurationId": "c2", "kind": "K", "calendarIds": ["crew"], "signedIn": false}
                    """)
            _ = try await application.process(clock: Self.instant(now + 1))
            #expect(
                await eventually {
                    let board = Self.last(board)
                    return board.keys.sorted() == ["c0", "c2"] && board["c2"]?.hasPrefix("signedOut") == true
                }, "\(board.output)")
            board.terminate()
            _ = await board.result()
            show("board.py: 3 widgets of real timelines, one signed out, one deleted while it ran")
        }

        // MARK: - Parts

        private static func configurations(_ count: Int) -> String {
            (0..<count).map { number in
                #"{"configurationId": "c\#(number)", "kind": "K", "recipient": "r\#(number)", "calendarIds": ["crew"]}"#
            }.joined(separator: "\n")
        }

        private static func instant(_ date: Date) -> String { date.formatted(.iso8601) }

        /// The lines of the board that was printed last, by configuration.
        private static func last(_ board: ProcessRunner) -> [String: String] {
            let text = board.output
            guard let begin = text.ranges(of: "---").last?.lowerBound else { return [:] }
            let lines = text[begin...].split(separator: "\n").dropFirst().map { line in
                let name = line.prefix { $0 != " " }
                return (String(name), line.dropFirst(name.count).trimmingCharacters(in: .whitespaces))
            }
            return Dictionary(lines, uniquingKeysWith: { $1 })
        }
    }
}
