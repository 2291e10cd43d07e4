package import Messages
package import RecordLog
package import Timelines

/// Judges reloads by the records alone: keeps for each configuration what stands, what its recipient has seen, and the
/// tokens that are left, and holds each reload, and each that did not come, to T6 and 4.
///
/// Knows nothing of how the pipeline decides. Instants come in order. Within one nobody can tell whether a reload is of
/// what stood before or of what came then: its revision does.
package final class ReloadChecker: DayObserver {
    private let kinds: [String: WidgetKind]
    private var parser = JSONParser()
    var widgets: [CheckedWidget] = []
    private var slots: [String: Int] = [:]
    var groups: [CheckedGroup] = []
    private var groupSlots: [GroupName: Int] = [:]
    /// The records of this instant, in the order in which they came.
    private var published: [(slot: Int, content: ShownContent)] = []
    private var reloads: [AnnouncedReload] = []
    /// The first ones.
    package private(set) var breaches: [Breach] = []
    package private(set) var breachCounts: [Breach.Rule: Int] = [:]
    package var figures = DayFigures()

    private static let breachesKept = 50

    private struct GroupName: Hashable {
        var recipient: String
        var kind: String
    }

    package init(kinds: [WidgetKind]) {
        self.kinds = Dictionary(uniqueKeysWithValues: kinds.map { ($0.kind, $0) })
    }

    func found(_ rule: Breach.Rule, _ at: Instant, _ what: String) {
        breachCounts[rule, default: 0] += 1
        if breaches.count < Self.breachesKept { breaches.append(Breach(rule: rule, at: at, what: what)) }
    }

    // MARK: - What comes

    package func timeline(
        key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?, headers: [Header], at: Instant
    ) {
        guard let value else { return found(.address, at, "a tombstone, though nothing was deleted") }
        do throws(MessageProblem) {
            publish(try TimelineRecord.decode(value, with: &parser), at: at)
        } catch {
            found(.address, at, "a timeline cannot be read: \(error)")
        }
    }

    package func reload(key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, headers: [Header], at: Instant) {
        guard let reload = AnnouncedReload(value, with: &parser) else {
            return found(.address, at, "a reload cannot be read: \(String(decoding: value, as: UTF8.self))")
        }
        if !reload.recipient.utf8.elementsEqual(key) { found(.address, at, "a reload of another recipient's key") }
        announce(reload)
    }

    package func publish(_ record: TimelineRecord, at: Instant) {
        let slot = slot(of: record, at: at)
        if record.generatedAt != at { found(.renewal, at, "a timeline for \(record.generatedAt.rfc3339)") }
        published.append((slot, ShownContent(record)))
    }

    package func announce(_ reload: AnnouncedReload) { reloads.append(reload) }

    package func endInstant(_ at: Instant) {
        if reloads.isEmpty && published.isEmpty { return }
        var later: [AnnouncedReload] = []
        for reload in reloads {
            let named = prepare(reload, at: at)
            let isOfBefore = named.compactMap { widgets[$0].current?.revision }.max() == reload.revision
            if isOfBefore || published.isEmpty { judge(reload, named, at: at) } else { later.append(reload) }
        }
        for (slot, content) in published { take(content, slot, at) }
        for (slot, _) in published { settle(slot, at) }
        for reload in later {
            let named = prepare(reload, at: at)
            for slot in named { settle(slot, at) }
            judge(reload, named, at: at)
        }
        published.removeAll(keepingCapacity: true)
        reloads.removeAll(keepingCapacity: true)
    }

    private func take(_ content: ShownContent, _ slot: Int, _ at: Instant) {
        advance(slot, to: at)
        if let due = widgets[slot].current?.nextUpdate, due < at {
            found(.renewal, at, "\(widgets[slot].id) was due at \(due.rfc3339)")
        }
        let isFirst = widgets[slot].current == nil
        let (isRenewal, isVisible) = widgets[slot].take(content, at: at)
        figures.timelines += 1
        if isRenewal {
            figures.renewals += 1
        } else if !isFirst {
            figures.changes += 1
            figures.visibleChanges += isVisible ? 1 : 0
        }
    }

    /// The day is over: everybody should know everything.
    package func end(_ at: Instant) {
        for slot in widgets.indices {
            advance(slot, to: at)
            if widgets[slot].pendingSince != nil, widgets[slot].isVisible(at: at) {
                found(.untold, at, "\(widgets[slot].id) shows something that its recipient does not know")
            }
            let kind = groups[widgets[slot].group].kind
            figures.kinds[kind, default: .init()].limit = widgets[slot].rules.limit
            figures.kinds[kind]!.configurations += 1
            figures.kinds[kind]!.mostInADay = max(figures.kinds[kind]!.mostInADay, widgets[slot].tokens.mostInADay)
        }
    }

    // MARK: - Who is meant

    private func slot(of record: TimelineRecord, at: Instant) -> Int {
        if let slot = slots[record.configurationId] { return slot }
        let name = GroupName(recipient: record.recipient, kind: record.kind)
        let group = groupSlots[name] ?? groups.count
        if group == groups.count {
            groupSlots[name] = group
            groups.append(CheckedGroup(recipient: name.recipient, kind: name.kind))
        }
        slots[record.configurationId] = widgets.count
        groups[group].members.append(widgets.count)
        widgets.append(CheckedWidget(record.configurationId, group: group, ReloadRules(kinds[record.kind]), at: at))
        return widgets.count - 1
    }

    /// Brings the configurations of a reload's group up to this instant, before anything of it is judged.
    ///
    /// - Returns: those that are named and known.
    private func prepare(_ reload: AnnouncedReload, at: Instant) -> [Int] {
        let named = reload.configurationIds.compactMap { slots[$0] }
        guard let group = named.first.map({ widgets[$0].group }) else { return named }
        for slot in groups[group].members { advance(slot, to: at) }
        return named
    }

    private func settle(_ slot: Int, _ at: Instant) {
        let group = widgets[slot].group
        // L5: where all that came before was withdrawn, the next change is the first.
        let isFirst = !groups[group].members.contains { widgets[$0].isGathered(at: at) }
        count(widgets[slot].settle(at: at, &groups[group].window, isFirst: isFirst))
    }

    private func advance(_ slot: Int, to at: Instant) {
        count(widgets[slot].advance(to: at) { found($0, $1, $2) })
    }

    private func count(_ outcome: CheckedWidget.Outcome) {
        figures.dropped += outcome.isDropped ? 1 : 0
        figures.foundByThemselves += outcome.isSeenByItself ? 1 : 0
    }
}
