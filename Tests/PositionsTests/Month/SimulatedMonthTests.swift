import Positions
import TestSupport
import Testing
import Timelines

/// Readers of every strategy's timelines for a month. The seed decides all of it.
@Suite("A simulated month")
struct SimulatedMonthTests {
    static let seed: UInt64 = 14
    static let readersPerStrategy: UInt64 = 6
    /// Whoever is back so soon expects to find the very entry.
    static let recent = ElapsedTime.minutes(15)

    /// The shares in % below which no strategy falls: a little less than they were when this was written.
    static let floors: [(strategy: String, recentExact: Double, laterFound: Double)] = [
        ("status", 25, 41), ("events", 98, 83), ("fixedInterval", 82, 58), ("timesOfDay", 98, 81),
        ("fetched", 39, 48), ("dayNight", 84, 58), ("hourly", 83, 74), ("withRetry", 35, 48), ("preview", 100, 100),
        ("schedule", 54, 54),
    ]

    /// How many restores each method has made, of those who are back soon and of the others.
    struct Shares {
        var recent = RestorationCounts()
        var later = RestorationCounts()
        var all: RestorationCounts { recent + later }

        static func percent(_ count: Int, of total: Int) -> String {
            total == 0 ? "-" : "\((count * 1000 + total / 2) / total / 10).\((count * 1000 + total / 2) / total % 10)"
        }

        /// The share of exact matches among those who are back soon, and of all but fallbacks among the others: an app
        /// for posts, whose entries keep their names, has 90 % and 70 %.
        var beatsApp: Bool { percentExactWhenRecent >= 90 && percentFoundLater >= 70 }

        var percentExactWhenRecent: Double { 100 * Double(recent[.exactMatch]) / Double(recent.total) }

        var percentFoundLater: Double { 100 * Double(later.total - later[.fallback]) / Double(later.total) }

        func line(_ name: String) -> String {
            let all = all
            let methods = [RestorationMethod.exactMatch, .temporalProximity, .contentSimilarity, .fallback].map {
                Self.percent(all[$0], of: all.total)
            }
            let found = later.total - later[.fallback]
            let cells =
                ["\(all.total)"] + methods + [
                    Self.percent(recent[.exactMatch], of: recent.total), Self.percent(found, of: later.total),
                ]
            return name.padded(to: 16) + cells.map { String(repeating: " ", count: 9 - $0.count) + $0 }.joined()
        }
    }

    private func configuration(_ name: String) throws -> WidgetConfiguration {
        var options = Parameters()
        if name == "schedule" {
            let type = Parameters.Member(key: "type", value: .string("everyMinute"))
            options = Parameters([.init(key: "schedule", value: .object(Parameters([type])))])
        }
        var configuration = WidgetConfiguration(
            configurationId: "c1", kind: "Reader",
            strategy: try TimelineStrategies.strategy(named: name, options: options))
        configuration.vehicleId = "bus-7"
        configuration.calendarIds = ["team"]
        configuration.family = .systemLarge
        return configuration
    }

    @Test("Whatever is still there is found exactly, and what has a neighbour within an hour is found by time")
    func month() throws {
        let world = MonthWorld(seed: Self.seed)
        var lines: [String] = []
        var sum = Shares()
        var beating: [String] = []
        for strategy in TimelineStrategies.all {
            let timelines = MonthOfTimelines(try configuration(strategy.name), in: world)
            var shares = Shares()
            for reader in 0..<Self.readersPerStrategy {
                var reader = MonthReader(seed: Self.seed &* 1000 &+ reader)
                reader.read(timelines) { restore in
                    judge(restore, strategy.name)
                    let method = restore.restoration.method
                    if restore.away <= Self.recent { shares.recent.count(method) } else { shares.later.count(method) }
                }
            }
            lines.append(shares.line(strategy.name))
            if let floor = Self.floors.first(where: { $0.strategy == strategy.name }) {
                let (recent, later) = (shares.percentExactWhenRecent, shares.percentFoundLater)
                #expect(recent >= floor.recentExact && later >= floor.laterFound, "\(shares.line(strategy.name))")
            }
            if shares.beatsApp { beating.append(strategy.name) }
            sum.recent = sum.recent + shares.recent
            sum.later = sum.later + shares.later
        }
        lines.append(sum.line("all"))
        print(
            """
            a month of \(Self.readersPerStrategy) readers for each strategy, seed \(Self.seed); shares in %
            strategy         restores    exact by time  content fallback  recent:   later:
                                                                            exact    found
            \(lines.joined(separator: "\n"))
            an app's figures, 90.0 recent and 70.0 later, are reached by: \(beating.joined(separator: ", "))
            """)
        // The others name entries by the instant for which a timeline is made, so a new one has new names.
        #expect(beating == ["events", "timesOfDay", "preview"])
        #expect(Self.floors.map(\.strategy) == TimelineStrategies.all.map { $0.name })
        #expect(sum.recent.total > 1000 && sum.later.total > 1000)
        for method in [RestorationMethod.exactMatch, .temporalProximity, .contentSimilarity, .fallback] {
            #expect(sum.all[method] > 0, "\(method) was never met")
        }
    }

    private func judge(_ restore: MonthReader.Restore, _ strategy: String) {
        let (entries, target, restoration) = (restore.entries, restore.target, restore.restoration)
        let place = "\(strategy), seed \(Self.seed), \(restore.at.rfc3339), \(target.entryId)"
        if let index = entries.firstIndex(where: { $0.id == target.entryId }) {
            let isExact = restoration.method == .exactMatch && restoration.index == index
            if !isExact || restoration.confidence != 1 || restoration.offset != target.offset {
                Issue.record("\(place): still there, but \(restoration)")
            }
            return
        }
        guard let date = target.entryDate else { return }
        let distances = entries.map { abs(($0.date - date).milliseconds) }
        guard let nearest = distances.min(), nearest <= 3_600_000 else { return }
        let found = restoration.index.map { distances[$0] }
        if restoration.method != .temporalProximity || found != nearest {
            Issue.record("\(place): an entry \(nearest) ms away, but \(restoration)")
        }
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String {
        self + String(repeating: " ", count: max(0, count - self.count))
    }
}
