package import Messages
package import Timelines

/// Why a configuration shows what it shows: sentences about its newest timeline and one entry of it.
///
/// Pure: the same facts give the same sentences. What the records no longer tell is said to be not known.
package struct Explanation {
    let facts: ExplainedFacts
    let record: TimelineRecord
    let place: SourceOffset
    /// The entry that is explained.
    package let entry: TimelineEntry

    /// The reason why a question cannot be answered.
    package enum Refusal: Error, Hashable, CustomStringConvertible {
        case noTimeline
        case tooEarly(generatedAt: Instant)
        /// The entry does not exist; the text says which are near it.
        case unknownEntry(String)

        package var description: String {
            switch self {
            case .noTimeline: "there is no timeline"
            case .tooEarly(let generatedAt):
                "'--at' must not be before the newest timeline was made, at \(generatedAt.rfc3339): the topic keeps no"
                    + " older ones for certain"
            case .unknownEntry(let text): text
            }
        }
    }

    /// - Parameter entryId: the entry; `nil` stands for the one in force at the instant of the facts (T2).
    package init(_ facts: ExplainedFacts, entryId: String?) throws(Refusal) {
        guard let newest = facts.newest else { throw .noTimeline }
        guard facts.at >= newest.value.generatedAt else { throw .tooEarly(generatedAt: newest.value.generatedAt) }
        self.facts = facts
        (record, place) = (newest.value, newest.place)
        let entries = record.timeline.entries
        guard let entryId else {
            entry = entries.last { $0.date <= facts.at } ?? entries[0]
            return
        }
        guard let found = entries.last(where: { $0.id.isSameByUTF8(as: entryId) }) else {
            let sentence = NearIds.sentence(about: entryId, among: entries.map(\.id), plural: "entries")
            throw .unknownEntry("the timeline has no entry '\(entryId)'; \(sentence)")
        }
        entry = found
    }

    /// All sentences: the configuration, the timeline and its cause, the entry, its status, sources, reloads, what
    /// comes next.
    package func reasons(with parser: inout JSONParser) -> [Reason] {
        Self.configurationReasons(facts)
            + [timelineReason, causeReason] + entryReasons + statusReasons(with: &parser) + sourceReasons
            + reloadReasons + nextReasons
    }

    // MARK: - The configuration

    /// What is known of a configuration, whether it has a timeline or not.
    package static func configurationReasons(_ facts: ExplainedFacts) -> [Reason] {
        var reasons: [Reason] = []
        if let deletion = facts.deletion {
            reasons.append(
                Reason(.configuration, "the configuration was deleted", rules: ["M2"], sources: [deletion]))
        }
        if let configuration = facts.configuration {
            switch configuration.value {
            case .usable(let value): reasons.append(usable(value, configuration.place))
            case .unusable(let value):
                let problems = value.problems.all.map { "\($0.key): \($0.message)" }.joined(separator: "; ")
                reasons.append(
                    Reason(
                        .configuration, "the configuration cannot be used: \(problems)", rules: ["T15"],
                        sources: [configuration.place]))
            }
        }
        for letter in facts.deadLetters where letter.isNewer(than: facts.configuration?.place) {
            let origin = letter.origin.map { [$0] } ?? []
            reasons.append(
                Reason(
                    .configuration,
                    "a record of its key was set aside as the dead letter \(letter.id.text), \(letter.reason):"
                        + " \(letter.message)", rules: ["M10"], sources: origin))
        }
        return reasons
    }

    private static func usable(_ value: WidgetConfiguration, _ place: SourceOffset) -> Reason {
        var parts = ["kind \(value.kind)", "family \(value.family.rawValue)", "strategy \(value.strategyName)"]
        if let vehicle = value.chosenVehicle { parts.append("vehicle \(vehicle)") }
        if !value.calendarIds.isEmpty { parts.append("calendars \(value.calendarIds.joined(separator: ", "))") }
        parts.append("time zone \(value.timeZone)")
        if !value.isSignedIn { parts.append("not signed in") }
        if value.mode != .normal { parts.append("mode \(value.mode.rawValue)") }
        return Reason(.configuration, parts.joined(separator: ", "), rules: ["M5"], sources: [place])
    }

    // MARK: - The timeline

    private var timelineReason: Reason {
        Reason(
            .timeline,
            "revision \(record.revision) with \(record.timeline.entries.count) entries, made for"
                + " \(record.generatedAt.rfc3339) as number \(record.refreshCount) since its configuration came",
            rules: ["T6"], sources: [place])
    }

    private var causeReason: Reason {
        guard record.refreshCount > 1 else {
            return Reason(
                .cause, "made because its configuration came", rules: ["T12"],
                sources: facts.sources(record, in: facts.topics.configurations))
        }
        guard let before = facts.predecessor(of: facts.timelines.count - 1) else {
            return Reason(
                .cause,
                "the topic no longer holds the timeline before this one, so the records do not tell why it was made",
                rules: ["T12"])
        }
        if before.value.timeline.nextUpdate == record.generatedAt {
            return Reason(
                .cause, "made because the timeline before was due to be made anew then", rules: ["T12", "T5"],
                sources: [before.place])
        }
        let new = record.sources.filter { !before.value.sources.contains($0) }
        if !new.isEmpty {
            let isConfiguration = new.contains { $0.topic == facts.topics.configurations }
            return Reason(
                .cause,
                isConfiguration
                    ? "made because its configuration changed" : "made because a source says something new",
                rules: ["T12"], sources: new)
        }
        if entry.vehicle?.status == VehicleStatus.offline.rawValue, entry.phase == .stale {
            return Reason(.cause, "made because the vehicle fell silent", rules: ["T12", "T23"])
        }
        return Reason(
            .cause,
            "made of the same sources as the timeline before: a silence, a pause, a clock that went back or a new"
                + " release", rules: ["T12", "T29"], sources: [before.place])
    }
}

extension DeadLetter {
    /// True if its record came after the one at `place`, or nothing says that it came before.
    fileprivate func isNewer(than place: SourceOffset?) -> Bool {
        guard let place, let origin else { return true }
        return !place.isBehind(origin)
    }
}
