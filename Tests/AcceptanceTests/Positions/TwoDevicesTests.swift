import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// Two devices of one reader, and everything between them dies.
    @Suite struct TwoDevicesTests {
        @Test("two devices agree after broker, server, pipeline and devices were killed, and no saved move is lost")
        func twoDevices() async throws {
            let broker = try await TestBroker.dedicated()
            var world = try await ReadingWorld(on: broker)
            let (phoneDisk, tabletDisk) = (TemporaryDirectory.make("phone"), TemporaryDirectory.make("tablet"))
            var phone = try world.reader("phone", phoneDisk)
            var tablet = try world.reader("tablet", tabletDisk)
            for reader in [phone, tablet] {
                let isShown = try await eventually {
                    try await reader.answer(to: "list").hasPrefix("20 entries, revision 1, from the server")
                }
                #expect(isShown)
            }
            try await phone.ask("go 3")
            #expect(try await phone.answer(to: "sync").hasPrefix("success"))
            // The server waits two seconds for the merge, and says success without it after that.
            let isAtThree = try await eventually {
                guard try await tablet.answer(to: "sync").hasPrefix("success") else { return false }
                return try await tablet.answer(to: "restore").hasPrefix("exact_match 3 ")
            }
            #expect(isAtThree)

            // All between the devices goes; both read on.
            try await world.killServer()
            try await world.killPipeline()
            for place in [5, 6, 7] { try await phone.ask("go \(place)") }
            for place in [9, 8, 10] { try await tablet.ask("go \(place)") }
            for reader in [phone, tablet] { #expect(try await reader.answer(to: "save") == "done") }
            #expect(try await phone.answer(to: "sync") == "offline, 3 pending")
            #expect(try await tablet.answer(to: "sync") == "offline, 3 pending")

            // The phone goes, too, and comes back while nobody answers: its journal has everything.
            let killed = await phone.kill()
            #expect(killed.isSignalled && killed.status == SIGKILL)
            phone = try world.reader("phone", phoneDisk)
            #expect(try await phone.answer(to: "list").hasPrefix("20 entries, revision 1, from the cache"))
            #expect(try await phone.answer(to: "restore").hasPrefix("exact_match 7 "))
            #expect(try await phone.export()["pending"] as? Int == 3)

            // The server comes without the pipeline: the broker has the moves, and nobody merges them yet.
            try await world.startServer()
            #expect(try await phone.answer(to: "sync").hasPrefix("success"))
            #expect(try await phone.export()["pending"] as? Int == 0)
            // What was acknowledged survives the broker, too.
            try await broker.kill()
            try await world.killServer()
            // Whether the tablet has come through meanwhile or not: it is alone again, and then gone.
            #expect(try await tablet.answer(to: "sync").hasPrefix("offline"))
            #expect(await tablet.kill().isSignalled)

            try await broker.restart()
            tablet = try world.reader("tablet", tabletDisk)
            try world.startPipeline()
            try await world.startServer()
            try await expectAgreement(phone, tablet, world)
            try await expectSuggestions(phone, tablet)
            for reader in [phone, tablet] {
                let result = try await reader.quit()
                #expect(result.succeeded, "\(result.failure)")
            }
            try await world.end()
            try await broker.stop()
        }

        private func expectAgreement(
            _ phone: ReaderProcess, _ tablet: ReaderProcess, _ world: ReadingWorld
        ) async throws {
            #expect(try await tablet.answer(to: "sync").hasPrefix("success"))
            // The tablet read last, and further.
            let agrees = try await eventually {
                guard try await phone.answer(to: "sync").hasPrefix("success") else { return false }
                return try await phone.answer(to: "restore").hasPrefix("exact_match 10 ")
            }
            #expect(agrees)
            #expect(try await tablet.answer(to: "restore").hasPrefix("exact_match 10 "))
            // Each device learns of the other's last moves after they went through the pipeline.
            var summaries: [String] = []
            let knowTheSame = try await eventually {
                guard try await tablet.answer(to: "sync").hasPrefix("success") else { return false }
                guard try await phone.answer(to: "sync").hasPrefix("success") else { return false }
                summaries = [try await summary(of: phone), try await summary(of: tablet)]
                return summaries[0] == summaries[1]
            }
            try #require(knowTheSame, "\(summaries)")
            #expect(summaries[0].contains("\"readEntries\":7"), "\(summaries[0])")

            let history = try await world.history()
            #expect(history["phone"] == [7, 6, 5, 3] && history["tablet"] == [10, 8, 9])
            show(
                "two devices, kill -9 of broker, server (twice), pipeline and both devices: 6 offline moves, "
                    + "none lost, both at entry 10")
        }

        /// The place, the devices and how many entries were read, as JSON with sorted keys.
        private func summary(of reader: ReaderProcess) async throws -> String {
            let export = try await reader.export()
            let summary = try #require((export["positions"] as? [String: Any])?["summary"] as? [String: Any])
            let kept = summary.filter { ["position", "devices", "readEntries"].contains($0.key) }
            #expect(kept.count == 3)
            let json = try JSONSerialization.data(withJSONObject: kept, options: .sortedKeys)
            return String(decoding: json, as: UTF8.self)
        }

        /// The tablet goes on, and the phone, which stays where it is, offers to go there.
        private func expectSuggestions(_ phone: ReaderProcess, _ tablet: ReaderProcess) async throws {
            for (place, answer) in [(12, "dismiss"), (14, "continue")] {
                try await tablet.ask("go \(place)")
                #expect(try await tablet.answer(to: "sync").hasPrefix("success"))
                let isOffered = try await eventually {
                    guard try await phone.answer(to: "sync").hasPrefix("success") else { return false }
                    return try await phone.ask("suggestions").contains {
                        $0.hasPrefix("suggestions: Continue reading?") && $0.contains("(\(place) ")
                    }
                }
                #expect(isOffered, "the place \(place) is not offered")
                if answer == "continue" {
                    #expect(try await phone.answer(to: "continue").hasPrefix("\(place) "))
                } else {
                    #expect(try await phone.answer(to: "dismiss") == "done")
                    #expect(try await phone.answer(to: "sync").hasPrefix("success"))
                }
                for reader in [phone, tablet] {
                    #expect(try await reader.ask("suggestions").allSatisfy { !$0.contains("(\(place) ") })
                }
            }
        }
    }
}
