/// A time for which readers of committed records got nothing new from a partition though it had more.
package struct StandStill: Sendable {
    /// Its topic and number, as `timelines[3]`.
    package var partition: String
    /// In `monotonicSeconds`.
    package var began: Double
    package var ended: Double
    /// Until when it is judged: the last moment in which all brokers had been there for a while; nil if there was none.
    package var judgedUntil: Double?

    package init(_ partition: String, began: Double, ended: Double, judgedUntil: Double?) {
        self.partition = partition
        self.began = began
        self.ended = ended
        self.judgedUntil = judgedUntil
    }

    package var seconds: Double { ended - began }
    package var judgedSeconds: Double { judgedUntil.map { $0 - began } ?? 0 }

    /// The faults during it.
    func faults(_ episodes: [FaultCounts.Episode]) -> [FaultCounts.Episode] {
        episodes.filter { $0.began < ended && $0.ended > began }
    }

    /// For how long of what is judged no process was whole: each was hurt, or had just been started. Nobody can end the
    /// transaction of another one then.
    ///
    /// - Parameter starting: seconds that a process takes from its start to its first look at the others.
    func secondsWithoutProcess(
        _ processes: [String], _ episodes: [FaultCounts.Episode], starting: Double
    ) -> Double {
        let hurt = processes.map { name in
            // A process behind a slow network can end what others left open.
            episodes.filter { $0.victim == name && $0.kind != .processDelay }.map { episode in
                let isRestarted = episode.kind == .processKill || episode.kind == .processTerminate
                return (began: episode.began, ended: episode.ended + (isRestarted ? starting : 0))
            }
        }
        let end = judgedUntil ?? ended
        let edges = Set(hurt.joined().flatMap { [$0.began, $0.ended] } + [began, end])
            .filter { $0 >= began && $0 <= end }.sorted()
        return zip(edges, edges.dropFirst()).reduce(0) { sum, span in
            let isNobodyWhole = hurt.allSatisfy { times in
                times.contains { $0.began <= span.0 && $0.ended >= span.1 }
            }
            return isNobodyWhole ? sum + span.1 - span.0 : sum
        }
    }
}

/// A long stand-still, held against what is promised: the session time-out and two seconds.
package struct JudgedStandStill: Sendable {
    private let stand: StandStill
    private let bound: Double
    private let withoutProcess: Double
    private let began: Double
    private let faults: [String]

    /// Seconds from a process's start to its first look at the others.
    private static let starting = 2.0

    /// - Parameter began: when the run began, in `monotonicSeconds`.
    package init(
        _ stand: StandStill, processes: [String], _ episodes: [FaultCounts.Episode], session: Double, began: Double
    ) {
        self.stand = stand
        self.began = began
        bound = session + 2
        withoutProcess = stand.secondsWithoutProcess(processes, episodes, starting: Self.starting)
        faults = stand.faults(episodes).map { "\($0.victim) \($0.kind.rawValue) at \(tenths($0.began - began))" }
    }

    /// While no process was whole, nobody could end anything.
    package var breach: String? {
        guard stand.judgedSeconds > bound + withoutProcess else { return nil }
        return "readers of \(stand.partition) stood still for \(tenths(stand.judgedSeconds)) s from "
            + "\(tenths(stand.began - began)) s on, more than \(tenths(bound)) s"
            + (withoutProcess > 0 ? " and the \(tenths(withoutProcess)) s in which no process was whole" : "")
    }

    /// The ten longest, as a table in Markdown.
    static func table(_ stands: [JudgedStandStill]) -> [String] {
        let longest = stands.filter { $0.stand.judgedUntil != nil }
            .sorted { ($1.stand.judgedSeconds, $0.stand.began) < ($0.stand.judgedSeconds, $1.stand.began) }.prefix(10)
        if longest.isEmpty { return [] }
        let rows = longest.map {
            "| \($0.stand.partition) | \(tenths($0.stand.began - $0.began)) | \(tenths($0.stand.judgedSeconds)) s "
                + "| \(tenths($0.withoutProcess)) s | \($0.faults.joined(separator: "; ")) |"
        }
        return [
            "", "The longest stand-stills of readers that were longer than a session, with the brokers up:", "",
            "| partition | from second | for | of it no process was whole | faults meanwhile |",
            "|---|---|---|---|---|",
        ] + rows
    }
}
