import Foundation
import Messages
import Positions
import RecordLog
import TestSupport
import Testing
import Timelines

extension AcceptanceTests {
    @Suite struct PositionKillTests {
        /// Readers, each on two devices in the timelines of two configurations.
        private static let readers = 12
        /// Moves of each device in each of these timelines.
        private static let moves = 40

        @Test("positions of a pipeline that is killed and rebalanced: no move lost, none counted twice")
        func kills() async throws {
            var application = try await Application("positions")
            application.settings = ["--set", "commit.interval.ms=10", "--set", "session.timeout=PT6S"]
            let devices = MovingDevices(readers: Self.readers, moves: Self.moves)
            let quarter = devices.records.count / 4

            // One process, killed; two, one of which is killed while the other takes over; one that ends in order.
            try await application.produce(Array(devices.records[..<quarter]), to: "timeline.positions")
            let first = try application.start("process")
            try #require(await merged(application) { $0 > 0 })
            try await application.produce(
                Array(devices.records[quarter..<(2 * quarter)]), to: "timeline.positions")
            first.kill()
            _ = await first.result()
            // Nobody merges now: what comes on top of this is the work of the others.
            let before = try await application.records(of: "timeline.positions.merged").count
            let second = try application.start("process")
            let third = try application.start("process")
            try await application.produce(
                Array(devices.records[(2 * quarter)..<(3 * quarter)]), to: "timeline.positions")
            try #require(await merged(application) { $0 > before })
            second.kill()
            try await application.produce(Array(devices.records[(3 * quarter)...]), to: "timeline.positions")
            third.kill()
            for process in [first, second, third] { _ = await process.result() }
            let last = try await application.run("process", "--until-caught-up")
            #expect(try Summary(last).deadLetters == 0)

            let records = try await application.records(of: "timeline.positions.merged")
            try devices.expect(records)
            show(
                "kill -9 of three processes in \(devices.records.count) moves of \(Self.readers) readers: "
                    + "none lost, none twice, in \(records.count) merged records")
        }

        private func merged(_ application: Application, _ condition: (Int) -> Bool) async throws -> Bool {
            let deadline = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < deadline {
                if condition(try await application.records(of: "timeline.positions.merged").count) { return true }
            }
            return false
        }
    }
}

/// Devices whose every move leaves a mark, so that one that is lost is missed.
private struct MovingDevices {
    private(set) var records: [(key: String?, value: [UInt8]?, headers: [Header])] = []
    private var marks: [String: Set<String>] = [:]
    private var newest: [String: [String: String]] = [:]

    init(readers: Int, moves: Int) {
        let start = Int64(Date().timeIntervalSince1970 * 1000) - 3_600_000
        for move in 0..<moves {
            for reader in 0..<readers {
                for configuration in ["c1", "c2"] {
                    for (number, device) in ["phone", "watch"].enumerated() {
                        add(
                            "r\(reader)", configuration, device, move,
                            at: Instant(milliseconds: start + Int64(move * 1000 + number * 10)))
                    }
                }
            }
        }
    }

    private mutating func add(_ reader: String, _ configuration: String, _ device: String, _ move: Int, at: Instant) {
        let entry = "e\(move)/\(device)"
        let record = PositionRecord(
            readerId: reader, configurationId: configuration, deviceId: device,
            position: PositionSnapshot(entryId: entry, observedAt: at), readEntries: [EntryMark(entryId: entry, at: at)]
        )
        var json = JSONWriter()
        record.write(to: &json)
        let key = PositionKey(of: record)
        records.append((key.text, json.bytes, []))
        marks[key.reader.text, default: []].insert(entry)
        newest[key.reader.text, default: [:]][device] = entry
    }

    func expect(_ merged: [Record]) throws {
        var parser = JSONParser()
        var last: [String: MergedPosition] = [:]
        var revisions: [String: Int] = [:]
        for record in merged {
            let key = String(decoding: record.key ?? [], as: UTF8.self)
            let id =
                record.headers.first { $0.name == "ce_id" }?.value.map { String(decoding: $0, as: UTF8.self) } ?? ""
            // A commit that was lost would leave a gap, and one that came twice the same number again.
            revisions[key, default: 0] += 1
            #expect(id.hasPrefix("\(key)/\(revisions[key] ?? 0)/"), "\(id)")
            last[key] = try (record.value ?? []).withUnsafeBytes { try MergedPosition.decode($0, with: &parser) }
        }
        #expect(last.count == marks.count)
        for (key, entries) in marks {
            let found = try #require(last[key])
            #expect(Set(found.readEntries.map(\.entryId)) == entries, "\(key)")
            #expect(found.position?.entryId == newest[key]?["watch"])
            for device in found.devices {
                #expect(device.position.entryId == device.deviceId.flatMap { newest[key]?[$0] })
            }
        }
    }
}
