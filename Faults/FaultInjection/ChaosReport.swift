import Foundation

/// What a run came to.
package struct ChaosReport: Sendable {
    package let plan: ChaosPlan
    /// What must not be; empty in a good run.
    package var breaches: [String] = []
    /// Processes and sinks that ended by themselves or badly.
    package var incidents: [String] = []
    /// The same of the producers that make the load: they say what they could not publish, and are started anew.
    package var loadIncidents: [String] = []
    package var counts: [FaultKind: Int] = [:]
    package var figures = GroupWatch.Figures()
    package var standStills: [JudgedStandStill] = []
    package var seconds = 0.0
    package var faultSeconds = 0.0
    package var lagSettledSeconds: Double?
    package var publishedSeconds: Double?
    package var versions = 0
    package var reloads = 0
    package var deadLetters = 0
    package var compared = 0
    package var starts = 0
    package var explainedEnds = 0
    package var records = 0

    init(_ plan: ChaosPlan) { self.plan = plan }

    package var isGood: Bool { breaches.isEmpty && incidents.isEmpty }
    package var processFaults: Int { counts.filter { $0.key.victim != .broker }.values.reduce(0, +) }
    package var brokerFaults: Int { counts.filter { $0.key.victim == .broker }.values.reduce(0, +) }

    mutating func note(_ figures: GroupWatch.Figures, _ counts: FaultCounts, began: Double) {
        self.figures = figures
        for kind in FaultKind.allCases { self.counts[kind] = counts.count(kind) }
        let processes = plan.streamThreads.indices.map(ChaosRun.processName)
        standStills = figures.longStandStills.map {
            JudgedStandStill(
                $0, processes: processes, counts.episodes, session: Double(plan.sessionSeconds), began: began)
        }
        breaches += standStills.compactMap(\.breach)
    }

    /// The page, in Markdown.
    ///
    /// - Parameter command: what makes the run again.
    package func page(command: String, commit: String) -> String {
        let threads = plan.streamThreads.map(String.init).joined(separator: ", ")
        var lines = [
            Self.introduction,
            "Verdict: **\(isGood ? "nothing lost, nothing doubled, nothing stuck" : "NOT GOOD")**, after "
                + "\(processFaults) faults of processes and \(brokerFaults) of brokers in \(Int(faultSeconds)) s, on "
                + "\(plan.brokers) broker\(plan.brokers == 1 ? "" : "s"), with processes of \(threads) stream threads.",
            "", "Made by `\(command)`.", "", "| fault | times | all caught up after, p50 | at most |",
            "|---|---|---|---|",
        ]
        for kind in FaultKind.allCases {
            let times = figures.recoveries.filter { $0.kind == kind }.map(\.seconds).sorted()
            let figures =
                times.isEmpty ? ("–", "–") : (tenths(times[times.count / 2]) + " s", tenths(times.last ?? 0) + " s")
            lines.append("| \(kind.rawValue) | \(counts[kind] ?? 0) | \(figures.0) | \(figures.1) |")
        }
        let all = figures.recoveries.map(\.seconds).sorted()
        if !all.isEmpty {
            let (median, most) = (tenths(all[all.count / 2]), tenths(all.last ?? 0))
            lines.append("| all | \(processFaults + brokerFaults) | \(median) s | \(most) s |")
        }
        lines += ["", "| figure | |", "|---|---|"]
        lines += rows(commit: commit).map { "| \($0) | \($1) |" }
        lines += JudgedStandStill.table(standStills)
        if !breaches.isEmpty { lines += ["", "What must not be:", "", "```", breaches.joined(separator: "\n"), "```"] }
        if !incidents.isEmpty {
            lines += ["", "Processes that ended by themselves, or badly:", "", "```"] + incidents.prefix(20) + ["```"]
        }
        if !loadIncidents.isEmpty {
            lines += [
                "", "Producers of the load ended \(loadIncidents.count) times and were started anew; the first:", "",
                "```", loadIncidents[0], "```",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let introduction = """
        # Faults

        `make chaos` starts brokers of Apache Kafka, processes of `tideline process`, producers that write all the
        while and a sink, and then hurts them. What it draws follows from a seed. `make chaos SECONDS=60 SEED=7` is
        a minute of it; `SECONDS`, `FAULTS` (of processes) and `ARGS="--broker-faults N"` say when it ends,
        `ARGS="--help"` the rest.

        - **Processes** get SIGKILL or SIGTERM and are started again, stand still for longer than their session, or
          reach the brokers through a proxy that closes all, lets nothing pass or is slow. The sink is killed, and
          its disk is full.
        - **Brokers** are killed, stopped and bounced: one, the leader of a partition, all at once. A topic of the
          input is deleted and made again.
        - **Lost** would be what the timelines do not show in the end. Most of the input goes to entities that are
          written for some seconds and then never again, so no later record makes up for a lost one. They are
          compared with what the driver wrote, and with an undisturbed run over the same input in an application of
          its own. Of the places of a reader on two devices none may be missing in what is merged, and of each
          agenda's last visible change its recipient must have been told.
        - **Doubled** would be a version that is there twice, a revision that does not rise by one, a reload that tells
          of a revision for a second time, or two dead letters of one record. kcat reads all of them, read_committed.
        - **Stuck** would be a lag that is left two minutes after the last fault.
        - **Readers** of committed records stand still while a transaction is open; the last stable offset is looked
          at twice a second. They may for the session time-out and two seconds, and for as long as no process was
          whole: each one hurt, or just started.

        Faults come in the middle of the recovery from others, so *caught up* is an upper bound of what one of them
        costs.

        ## The last run

        """

    private func rows(commit: String) -> [(String, String)] {
        func seconds(_ value: Double?) -> String { value.map { tenths($0) + " s" } ?? "never" }
        return [
            ("seed, commit", "\(plan.seed), \(commit)"),
            ("longest stand-still of a reader of `timelines`, brokers up", seconds(figures.standStill)),
            (
                "for so long that was judged: without outages, and \(plan.sessionSeconds + 2) s after each",
                seconds(figures.judgedSeconds)
            ),
            ("the same, outages of brokers and what follows on them included", seconds(figures.standStillInOutages)),
            ("after the last fault: no lag", seconds(lagSettledSeconds)),
            ("after the last fault: all published", seconds(publishedSeconds)),
            ("records of the ledger; timelines of it compared", "\(records); \(compared)"),
            ("versions in `timelines`; reloads; dead letters", "\(versions); \(reloads); \(deadLetters)"),
            ("starts of `tideline process`; ended with 69, no broker or topic there", "\(starts); \(explainedEnds)"),
            ("samples of the watch; not answered", "\(figures.samples); \(figures.failedSamples)"),
            ("faults after which the inputs were not caught up with", "\(figures.unrecovered)"),
        ]
    }
}
