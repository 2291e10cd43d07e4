import Messages
import Pipeline
import RecordLog
import Simulation
import Timelines

/// What the committed outputs of the pipeline tell, and what of it is wrong.
struct WidgetAudit: ~Copyable {
    private let topics: TopicNames
    private let telemetryFuture: ElapsedTime?
    private let hasWrongClocks: Bool
    private var parser = JSONParser()
    /// By configuration: the newest timeline; `nil` after a tombstone.
    private var newest: [String: TimelineRecord?] = [:]
    private var revisions: [String: Revision] = [:]
    private var reloads: ReloadAudit
    private var announcements: AnnouncementAudit
    private var readers: ReaderAudit
    private var provenance = ProvenanceAudit()
    private var deadLetters = 0
    private(set) var violations: [Symptom] = []

    init(_ settings: PipelineSettings, hasWrongClocks: Bool) {
        topics = settings.topics
        telemetryFuture = settings.telemetryFuture
        reloads = ReloadAudit(limit: settings.reload.limit ?? 48)
        announcements = AnnouncementAudit(settings.reload)
        readers = ReaderAudit(settings.topics, settings.positions)
        self.hasWrongClocks = hasWrongClocks
    }

    mutating func take(_ record: Record) {
        let key = String(decoding: record.key ?? [], as: UTF8.self)
        do {
            switch record.topic {
            case topics.timelines: try takeTimeline(record, of: key)
            case topics.reloads:
                let reload = try (record.value ?? []).withUnsafeBytes {
                    try ReloadNotification.decode($0, with: &parser)
                }
                reloads.take(reload)
                announcements.take(reload, written: record.timestamp)
            case topics.positionsMerged: try readers.take(record)
            case topics.deadLetters: deadLetters += 1
            default: break
            }
        } catch {
            violations.append(Symptom(.unreadable, "\(record.topic) of \(key): \(error)"))
        }
    }

    private mutating func takeTimeline(_ record: Record, of id: String) throws {
        let before = newest[id] ?? nil
        guard let value = record.value else {
            if before == nil { violations.append(Symptom(.sameTwice, "a tombstone of \(id) removes nothing")) }
            newest[id] = .some(nil)
            announcements.takeTombstone(of: id)
            return
        }
        let timeline = try value.withUnsafeBytes { try TimelineRecord.decode($0, with: &parser) }
        check(timeline, of: id, after: before)
        announcements.take(timeline, digest(timeline), of: id, written: record.timestamp)
        provenance.take(timeline)
        newest[id] = timeline
        revisions[id] = timeline.revision
    }

    private mutating func check(_ record: TimelineRecord, of id: String, after before: TimelineRecord?) {
        let revision = revisions[id] ?? 0
        guard let before else {
            if record.revision != revision.next || record.refreshCount != 1 {
                violations.append(Symptom(.revision, "\(id) begins with \(record.revision) after \(revision)"))
            }
            return
        }
        if record.refreshCount != before.refreshCount + 1 {
            let kind: Symptom.Kind = record.refreshCount <= before.refreshCount ? .sameTwice : .revision
            violations.append(Symptom(kind, "\(id) is made \(record.refreshCount) after \(before.refreshCount)"))
        }
        let isSame = digest(before).isSameContent(as: digest(record), at: record.generatedAt)
        if record.revision != (isSame ? revision : revision.next) {
            violations.append(Symptom(.revision, "\(id) has \(record.revision) after \(revision)"))
        }
        if record.generatedAt < before.generatedAt && !hasWrongClocks {
            let older = "\(before.generatedAt.rfc3339) to \(record.generatedAt.rfc3339)"
            violations.append(Symptom(.neverWas, "\(id) becomes older: \(older)"))
        }
    }

    private func digest(_ record: TimelineRecord) -> ContentDigest {
        ContentDigest(of: record.timeline, kind: record.kind, family: record.family)
    }

    /// Holds what stands against one pass over the committed input, before anything is brought up: every configuration
    /// has its timeline, and no reader of one that is not due sees something else than it should. Of a vehicle that is
    /// its status: all else may wait for the next refresh (T12).
    mutating func judgeStanding(
        against history: InputHistory, in cluster: MemoryCluster, at now: Instant
    ) -> [Symptom] {
        announcements.beginLastRun()
        var found = judgePresence(Oracle(history.inputs(topics, cluster), topics), at: now)
        var stale: [String: Symptom] = [:]
        for (index, order) in ([history.inputs(topics, cluster)] + history.otherOrders(topics, cluster)).enumerated() {
            let oracle = Oracle(order, topics, telemetryFuture: telemetryFuture)
            let ids = index == 0 ? Array(newest.keys) : Array(stale.keys)
            stale = [:]
            for id in ids { stale[id] = staleness(of: id, oracle, at: now) }
            if stale.isEmpty { break }
        }
        found += stale.sorted { $0.key < $1.key }.map(\.value)
        return found
    }

    private func staleness(of id: String, _ oracle: borrowing Oracle, at now: Instant) -> Symptom? {
        guard let standing = newest[id] ?? nil, standing.generatedAt <= now, let right = oracle.record(id, at: now)
        else { return nil }
        // Renewals that are due together are spread over a pause, which has gone by.
        if let due = standing.timeline.nextUpdate, due < now - .minutes(1) {
            return Symptom(.timerLost, "\(id) is due since \(due.rfc3339), at \(now.rfc3339)")
        }
        let shown = digest(standing.withStatusAlone)
        // That the newest record cannot be read, or can be read again, is no news by itself, either, and an interval
        // goes by without any.
        let allowed = [nil, false, true].flatMap { isUnreadable in
            [now, standing.generatedAt].map { oracle.record(id, at: $0, isUnreadable: isUnreadable) ?? right }
        }
        let isRight = allowed.contains { !shown.isVisibleChange(to: digest($0.withStatusAlone), at: now) }
        guard !isRight else { return nil }
        return Symptom(.diverged, "\(id) stands at \(now.rfc3339): \(standing.contentText), owed \(right.contentText)")
    }

    private func judgePresence(_ oracle: borrowing Oracle, at now: Instant) -> [Symptom] {
        let expected = oracle.configurationIds
        let missing = expected.filter { (newest[$0] ?? nil) == nil }.map {
            Symptom(.lost, "\($0) has no timeline at \(now.rfc3339)")
        }
        let deleted = newest.keys.sorted().filter { (newest[$0] ?? nil) != nil && !expected.contains($0) }.map {
            Symptom(.diverged, "\($0) is deleted and still has a timeline")
        }
        return missing + deleted
    }

    /// Recomputes every timeline in one pass from the committed input.
    ///
    /// - Parameters:
    ///   - history: what was read.
    ///   - remade: see `ProvenanceAudit`.
    ///   - refills: see `ReloadAudit`.
    ///   - wrong: see `AnnouncementAudit`.
    func judge(
        against history: InputHistory, in cluster: MemoryCluster, remade: Set<String>, at now: Instant,
        refills: (String) -> Int?,
        _ wrong: AnnouncementAudit.WrongClocks?
    ) -> [Symptom] {
        let inputs = history.inputs(topics, cluster)
        let oracle = Oracle(inputs, topics, telemetryFuture: telemetryFuture)
        let expected = oracle.configurationIds
        var found = judgePresence(oracle, at: now)
        var others: [String: Symptom] = [:]
        for id in expected {
            if let timeline = newest[id] ?? nil { others[id] = divergence(of: timeline, id, from: oracle, at: now) }
        }
        if !others.isEmpty {
            for order in history.otherOrders(topics, cluster) {
                let oracle = Oracle(order, topics, telemetryFuture: telemetryFuture)
                for id in others.keys.sorted() {
                    guard let timeline = newest[id] ?? nil else { continue }
                    if divergence(of: timeline, id, from: oracle, at: now) == nil { others[id] = nil }
                }
            }
        }
        found += others.sorted { $0.key < $1.key }.map(\.value)
        found += provenance.judge(
            against: history, topics, in: cluster, remade: remade, telemetryFuture: telemetryFuture)
        found += announcements.judge(expected, at: now, wrong)
        let least = inputs.count { Self.isBad($0) }
        let most = least + history.readTwice(topics, cluster).count { Self.isBad($0) }
        if !(least...most).contains(deadLetters) {
            found.append(Symptom(.lost, "\(deadLetters) dead letters of \(least) bad records"))
        }
        return found + readers.judge(against: inputs) + reloads.judge(refills: refills)
    }

    private static func isBad(_ input: Record) -> Bool {
        input.value?.starts(with: RandomWorld.badValue.utf8) ?? false
    }

    private func divergence(
        of timeline: TimelineRecord, _ id: String, from oracle: borrowing Oracle, at now: Instant
    ) -> Symptom? {
        let text = timeline.contentText
        guard let right = oracle.contentText(id, at: now), text != right else { return nil }
        // A timeline that is not due yet was made for another moment, of the same input: one before, or one after
        // by no more than clocks of members may differ (`renewal.pause`).
        let isDue = timeline.timeline.nextUpdate.map { $0 <= now } ?? false
        if !isDue && timeline.generatedAt <= now + .minutes(1)
            && text == oracle.contentText(id, at: timeline.generatedAt)
        {
            return nil
        }
        return Symptom(.diverged, "\(id) at \(now.rfc3339): \(text) instead of \(right)")
    }
}

extension TimelineRecord {
    /// Its entries say nothing of a vehicle but its status.
    fileprivate var withStatusAlone: TimelineRecord {
        var copy = self
        copy.timeline.entries = timeline.entries.map { entry in
            var entry = entry
            guard let vehicle = entry.vehicle else { return entry }
            entry.vehicle = TimelineEntry.VehicleView(vehicleId: vehicle.vehicleId)
            entry.vehicle?.status = vehicle.status
            return entry
        }
        return copy
    }
}
