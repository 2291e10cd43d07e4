import Foundation
import TestSupport

extension ChaosRun {
    // MARK: - Nothing is stuck

    /// Waits until all that was written is committed, published and in files, for the plan's bound at most.
    func settle(since lastFault: Double, _ report: inout ChaosReport) throws {
        let bound = lastFault + plan.settleSeconds
        func isDone(_ condition: () -> Bool) -> Bool {
            while !condition() {
                if monotonicSeconds() > bound { return condition() }
                for program in processes + [sink] { try? program.supervise() }
                Thread.sleep(forTimeInterval: 0.5)
            }
            return true
        }
        if isDone({ watch.figures.lag == 0 }) {
            report.lagSettledSeconds = monotonicSeconds() - lastFault
        } else {
            report.breaches.append(
                "stuck: lag \(watch.figures.lag.map(String.init) ?? "unknown") is left"
                    + (watch.figures.lastFailure.map { "; the watch has no answer: \($0)" } ?? ""))
        }
        var faults: [String] = []
        let isPublished = isDone {
            faults = (try? lost()) ?? ["the outputs cannot be read"]
            return faults.isEmpty
        }
        if isPublished { report.publishedSeconds = monotonicSeconds() - lastFault }
        report.breaches += Self.few("lost", faults)
        if !faults.isEmpty {
            report.breaches += Self.few(
                "acknowledged to `tideline produce`, and not in the topic for any reader", try missingInputs())
        }
    }

    /// What of the ledger the outputs do not show, or nobody was told of.
    private func lost() throws -> [String] {
        let generations = writer.generations
        let versions = try kcat.read("timelines")
        let timelines = RevisionCheck(versions).last
        let faults = ledger.faults(generations: generations, timelines: timelines)
        guard faults.isEmpty else { return faults }
        var merged: [String: Data] = [:]
        for record in try kcat.read("timeline.positions.merged") { merged[record.key] = record.value }
        let announcements = ledger.announcements(generations: generations, versions: versions)
        if announcements.count < generations {
            return ["\(generations - announcements.count) agendas never showed their first event as it is in the end"]
        }
        return ledger.positionFaults(generations: generations, merged: merged) + (try reloads().untold(announcements))
    }

    private var kcat: Kcat { Kcat(bootstrap: cluster.bootstrap) }

    private func reloads() throws -> ReloadCheck {
        var check = ReloadCheck()
        for record in try kcat.read("timeline.reloads") { check.read(record) }
        return check
    }

    private func deadLetters(_ topic: String) throws -> DeadLetterCheck {
        DeadLetterCheck(try kcat.headers(of: topic))
    }

    private func missingInputs() throws -> [String] {
        InputCheck.missing(
            from: ledger, generations: writer.generations,
            events: try kcat.read("calendar.events").compactMap(\.value),
            telemetry: try kcat.read("vehicle.telemetry").compactMap(\.value))
    }

    private func lastTimelines(_ topic: String) throws -> RevisionCheck {
        RevisionCheck(try kcat.read(topic))
    }

    // MARK: - Nothing is lost or doubled

    func judge(_ report: inout ChaosReport) throws {
        say("settled; an undisturbed run over the same inputs")
        for process in processes { process.terminate() }
        let disturbed = try lastTimelines("timelines")
        report.versions = disturbed.versions
        report.breaches += Self.few("doubled or skipped", disturbed.faults)
        let reloads = try reloads()
        report.reloads = reloads.reloads
        report.breaches += Self.few("reloads", reloads.faults)

        let keys = (0..<writer.generations).flatMap { [ledger.agenda($0), ledger.status($0)] }
        var sinkFaults: [String] = []
        wait(atMost: 30, every: 0.5) {
            sinkFaults = SinkCheck.faults(sinkFolder, timelines: disturbed.last, configurations: keys)
            return sinkFaults.isEmpty
        }
        report.breaches += Self.few("sink", sinkFaults)
        sink.terminate()

        let outputs = ["timelines", "timeline.reloads", "timeline.positions.merged", "tideline.dead-letters"]
        let options = ["--application", "oracle"] + outputs.flatMap { ["--set", "topics.\($0)=oracle.\($0)"] }
        try run("topics", "--partitions", String(plan.partitions), options: options)
        // Its topics are new: for a moment not every broker knows them.
        var failure: (any Error)?
        let isRead = wait(atMost: 120, every: 1) {
            do {
                try run("process", "--until-caught-up", options: options)
                return true
            } catch {
                failure = error
                return false
            }
        }
        if !isRead, let failure { throw failure }
        let undisturbed = try lastTimelines("oracle.timelines")
        let differences = RunComparison.differences(
            of: disturbed.last, from: undisturbed.last, keys: keys, at: Date())
        report.breaches += Self.few("differs from an undisturbed run", differences)
        report.compared = keys.count
        // Of a topic that was made again only the ledger's configurations are written anew.
        let isWhole = counts.count(.topicRecreated) == 0
        report.breaches += Self.few(
            "only one of the two runs has",
            RunComparison.oneSided(
                disturbed: Set(disturbed.last.keys), undisturbed: Set(undisturbed.last.keys), isWhole: isWhole))
        let letters = try deadLetters("tideline.dead-letters")
        report.deadLetters = letters.places.count
        let others = try deadLetters("oracle.tideline.dead-letters")
        report.breaches += Self.few(
            "dead letters", letters.faults(undisturbed: others, remade: isWhole ? nil : Self.remade))
        for program in processes + [sink] { report.incidents += program.incidents }
        report.loadIncidents = writer.incidents + fleet.flatMap(\.incidents)
    }

    /// The first of many, and how many there are.
    private static func few(_ title: String, _ faults: [String]) -> [String] {
        faults.isEmpty ? [] : ["\(title), \(faults.count) times:\n  " + faults.prefix(5).joined(separator: "\n  ")]
    }
}
