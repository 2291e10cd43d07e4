internal import Messages
internal import Timelines

extension Explanation {
    /// Why the newest reload was sent, or why none was sent for this revision.
    var reloadReasons: [Reason] {
        let past = facts.reloads.filter { $0.value.issuedAt <= facts.at }
        if let last = past.last, isAbout(last.value) { return [sent(last)] }
        var reasons: [Reason] = []
        if let last = past.last {
            // The first timeline of the revision may be gone, and then the reload may have been for it.
            let isKnown =
                last.value.configurationIds.count == 1 || facts.timelines[firstOfRevision].value.refreshCount == 1
                || facts.predecessor(of: firstOfRevision) != nil
            let order = isKnown ? ", before revision" : "; the records do not tell whether for revision"
            reasons.append(
                Reason(
                    .reload,
                    "the newest reload that names it was issued at \(last.value.issuedAt.rfc3339)"
                        + " (\(last.value.reason.rawValue))\(order) \(record.revision)", rules: ["L8"],
                    sources: [last.place]))
        } else {
            reasons.append(Reason(.reload, "the topic holds no reload that names it", rules: ["L1"]))
        }
        return reasons + [notSent(after: past.last)]
    }

    /// The earliest timeline of this revision that the topic holds.
    private var firstOfRevision: Int {
        facts.timelines.firstIndex { $0.value.revision == record.revision } ?? facts.timelines.count - 1
    }

    private func isAbout(_ reload: ReloadNotification) -> Bool {
        // The revision of a reload is the highest of all its configurations.
        if reload.configurationIds.count == 1 { return reload.revision >= record.revision }
        return reload.issuedAt >= facts.timelines[firstOfRevision].value.generatedAt
    }

    private func sent(_ reload: Placed<ReloadNotification>) -> Reason {
        let value = reload.value
        let rule =
            switch value.reason {
            case .requested: "L9"
            case .configurationChanged: "L4"
            case .statusChanged, .dataChanged: "L1"
            case .scheduled, .retry: "L2"
            }
        return Reason(
            .reload,
            "\(value.recipient) was told at \(value.issuedAt.rfc3339) to load \(value.kind) anew, for"
                + " \(value.reason.rawValue); \(value.budget.remaining) of its reloads were left then",
            rules: [rule, "L8"], sources: [reload.place])
    }

    private func notSent(after last: Placed<ReloadNotification>?) -> Reason {
        let first = facts.timelines[firstOfRevision]
        if first.value.refreshCount == 1 { return notSent(forNew: first) }
        guard let before = facts.predecessor(of: firstOfRevision) else {
            if record.budget?.remaining == 0 { return held }
            return Reason(
                .reload,
                "none for revision \(record.revision): the topic no longer holds the timeline before it, so"
                    + " the records do not tell whether the change was visible", rules: ["L1", "T6"])
        }
        let digest = { (record: TimelineRecord) in
            ContentDigest(of: record.timeline, kind: record.kind, family: record.family)
        }
        if let due = before.value.timeline.nextUpdate, due <= first.value.generatedAt, !facts.terms.announcesRenewals {
            return Reason(
                .reload,
                "none for revision \(record.revision): the recipient comes back by itself at the nextUpdate of"
                    + " the timeline before, \(due.rfc3339)", rules: ["L2"], sources: [before.place, first.place])
        }
        guard digest(before.value).isVisibleChange(to: digest(first.value), at: first.value.generatedAt) else {
            return Reason(
                .reload,
                "none for revision \(record.revision): what differs shows only after the nextUpdate of the"
                    + " timeline before, which is no visible change", rules: ["L1", "T6"],
                sources: [before.place, first.place])
        }
        if record.budget?.remaining == 0 { return held }
        if let gathering = gathering(first, "the change", rules: ["L5"]) { return gathering }
        return Reason(
            .reload,
            "none for revision \(record.revision), though it differs visibly from the timeline before: the"
                + " recipient had seen the same, or the topic's retention removed the reload", rules: ["L7", "L1"],
            sources: [before.place, first.place])
    }

    /// A new configuration is announced whatever it shows, and costs nothing.
    private func notSent(forNew first: Placed<TimelineRecord>) -> Reason {
        if let gathering = gathering(first, "the new configuration", rules: ["L5", "L4"]) { return gathering }
        return Reason(
            .reload,
            "a new configuration is announced for configurationChanged: the topic's retention has removed that reload,"
                + " or its time has not come yet at the process", rules: ["L4"], sources: [first.place])
    }

    /// - Returns: `nil` once the time of gathering is over.
    private func gathering(_ first: Placed<TimelineRecord>, _ what: String, rules: [String]) -> Reason? {
        let gathered = first.value.generatedAt + facts.terms.coalesce
        guard facts.at < gathered else { return nil }
        return Reason(
            .reload, "none yet: \(what) is gathered with others until \(gathered.rfc3339)", rules: rules,
            sources: [first.place])
    }

    private var held: Reason {
        let full = record.budget.map { "; the budget is full again at \($0.resetsAt.rfc3339)" } ?? ""
        return Reason(
            .reload,
            "none for revision \(record.revision): no reload was left, so the change is held until there is"
                + " one\(full)", rules: ["L6", "L3"], sources: [place])
    }

    // MARK: - What comes next

    var nextReasons: [Reason] {
        var reasons: [Reason] = []
        let at = facts.at
        if let next = record.timeline.entries.first(where: { $0.date > at }) {
            reasons.append(
                Reason(
                    .next, "\(next.id) comes into force at \(next.date.rfc3339), in \((next.date - at).words)",
                    rules: ["T2"]))
        }
        if let update = record.timeline.nextUpdate {
            let policy =
                switch record.timeline.policy {
                case .atEnd: "at its last entry's date"
                case .after: "at the date of its policy"
                case .never: "never"
                }
            let text =
                update > at
                ? "a new timeline is due \(policy), \(update.rfc3339), in \((update - at).words)"
                : "a new timeline was due \(policy), \(update.rfc3339), \((at - update).words) ago: 'tideline process'"
                    + " is behind or does not run"
            reasons.append(Reason(.next, text, rules: ["T5", "T12"]))
        } else {
            reasons.append(
                Reason(.next, "no new timeline is due until data or the configuration changes", rules: ["T5", "T12"]))
        }
        if let vehicle = entry.vehicle, let observedAt = vehicle.observedAt, let silence,
            ![VehicleStatus.ignitionOff.rawValue, VehicleStatus.offline.rawValue].contains(vehicle.status),
            observedAt + silence > at
        {
            reasons.append(
                Reason(
                    .next,
                    "if nothing more is heard of \(vehicle.vehicleId), it counts as Offline from"
                        + " \((observedAt + silence).rfc3339) on", rules: ["T23", "T12"]))
        }
        return reasons
    }
}
