import Positions
import TestSupport
import Testing
import Timelines

/// What holds for whatever replicas have heard; each seed draws three of them, and the settings.
@Suite("The laws of merging")
struct MergeLawsTests {
    struct Case {
        var settings: PositionSettings
        var first: ReaderPositions
        var second: ReaderPositions
        var third: ReaderPositions
        var now: Instant

        init(seed: Int) {
            var draws = Draws(seed: seed)
            settings = draws.settings()
            // Every fifth case has more devices than are kept.
            let (devices, records) = seed % 5 == 0 ? (80, 30...60) : (4, 0...8)
            first = draws.positions(devices: devices, records: records, settings)
            second = draws.positions(devices: devices, records: records, settings)
            third = draws.positions(devices: devices, records: records, settings)
            now = draws.instant() + .seconds(Int64(draws.number(0...30)))
        }

        func merged(_ left: ReaderPositions, _ right: ReaderPositions) -> ReaderPositions {
            var merged = left
            merged.merge(right, settings: settings)
            return merged
        }

        func expired(_ positions: ReaderPositions) -> ReaderPositions {
            var expired = positions
            expired.expire(at: now, settings: settings)
            return expired
        }
    }

    static let seeds = 0..<600

    /// The seeds for which something does not hold.
    private func seeds(against law: (Case) -> Bool) -> [Int] { Self.seeds.filter { !law(Case(seed: $0)) } }

    @Test("Merging is commutative")
    func commutative() {
        let seeds = seeds { it in it.merged(it.first, it.second) == it.merged(it.second, it.first) }
        #expect(seeds == [])
    }

    @Test("Merging is associative")
    func associative() {
        let seeds = seeds { it in
            it.merged(it.merged(it.first, it.second), it.third) == it.merged(it.first, it.merged(it.second, it.third))
        }
        #expect(seeds == [])
    }

    @Test("Merging is idempotent, and what was merged brings nothing new")
    func idempotent() {
        let seeds = seeds { it in
            let both = it.merged(it.first, it.second)
            return it.merged(it.first, it.first) == it.first && it.merged(both, it.first) == both
        }
        #expect(seeds == [])
    }

    @Test("Expiring before a merge and after it, or only after it, leaves the same")
    func expiry() {
        let seeds = seeds { it in
            it.expired(it.merged(it.expired(it.first), it.second)) == it.expired(it.merged(it.first, it.second))
        }
        #expect(seeds == [])
    }

    @Test("The bounds hold, nothing stands twice, and the order is that of the contract")
    func shape() {
        var hasMetDevicesMax = false
        for seed in Self.seeds {
            let it = Case(seed: seed)
            let merged = it.merged(it.merged(it.first, it.second), it.third)
            let size = it.settings.maxHistorySize
            let total = merged.histories.map(\.snapshots.count).reduce(0, +)
            #expect(total <= size * ReaderPositions.devicesMax, "seed \(seed)")
            hasMetDevicesMax = hasMetDevicesMax || total == size * ReaderPositions.devicesMax
            for history in merged.histories {
                #expect((1...size).contains(history.snapshots.count), "seed \(seed)")
                #expect(Set(history.snapshots.map { Array($0.entryId.utf8) }).count == history.snapshots.count)
                #expect(history.snapshots.map(\.observedAt).descends, "seed \(seed)")
            }
            #expect(merged.readEntries.count <= it.settings.maxUnreadHistory, "seed \(seed)")
            #expect(merged.readEntries.map(\.at).descends, "seed \(seed)")
            #expect(merged.dismissed.count <= it.settings.maxUnreadHistory, "seed \(seed)")
            #expect(merged.history.first == merged.position, "seed \(seed)")
            #expect(merged.position?.observedAt == merged.history.map(\.observedAt).max(), "seed \(seed)")
        }
        #expect(hasMetDevicesMax)
    }

    @Test("Records of devices with right clocks give the same in any order, however often they come")
    func anyOrder() {
        for seed in Self.seeds {
            var draws = Draws(seed: seed)
            let settings = draws.settings()
            // One record of each device: those of one device come in their order, for they have one key.
            let records = (0..<draws.number(1...10)).map { draws.record(devices: 1).of(device: "device-\($0)") }
            let orders = [
                Array(records.indices), records.indices.reversed(), records.indices.shuffled(using: &draws.numbers),
            ]
            let results = orders.map { order in
                var positions = ReaderPositions()
                for round in 0..<2 {
                    for index in order {
                        // Later each time, and after all that was observed.
                        let arrival = Instant(milliseconds: 31_000) + .seconds(Int64(round * index))
                        positions.record(records[index], arrival: arrival, settings: settings)
                    }
                }
                positions.expire(at: Instant(milliseconds: 60_000), settings: settings)
                return positions
            }
            #expect(Set(results).count == 1, "seed \(seed)")
            #expect(Set(results.map(\.history)).count == 1, "seed \(seed)")
        }
    }

    @Test("Any record that is told once more changes nothing, whenever that is and whatever its clock says")
    func repeated() {
        for seed in Self.seeds {
            var draws = Draws(seed: seed)
            var settings = draws.settings()
            // Places that were forgotten for want of room are news when they come again.
            settings.maxHistorySize = 20
            settings.expiry = .hours(1)
            var positions = draws.positions(devices: 3, records: 0...4, settings)
            var record = draws.record(devices: 3)
            (record.readEntries, record.dismissed) = ([], [])
            // A place that a newer one of its entry has replaced is not known any more.
            record.position.entryId = "new"
            for index in record.history.indices { record.history[index].entryId = "new-\(index)" }
            positions.record(record, arrival: draws.instant(), settings: settings)
            let before = positions
            positions.record(record, arrival: Instant(milliseconds: 30_000) + draws.later(), settings: settings)
            #expect(positions == before, "seed \(seed)")
        }
    }

    @Test("The next expiry is the first instant at which something goes")
    func nextExpiry() throws {
        #expect(ReaderPositions().nextExpiry(settings: PositionSettings()) == nil)
        for seed in Self.seeds {
            let it = Case(seed: seed)
            guard !it.first.isEmpty else { continue }
            let due = try #require(it.first.nextExpiry(settings: it.settings))
            var positions = it.first
            positions.expire(at: due - ElapsedTime(milliseconds: 1), settings: it.settings)
            #expect(positions == it.first, "seed \(seed)")
            positions.expire(at: due, settings: it.settings)
            #expect(positions != it.first, "seed \(seed)")
        }
    }
}

extension [Instant] {
    fileprivate var descends: Bool { zip(self, dropFirst()).allSatisfy { $0 >= $1 } }
}

extension PositionRecord {
    fileprivate func of(device deviceId: String) -> PositionRecord {
        var record = self
        record.deviceId = deviceId
        return record
    }
}
