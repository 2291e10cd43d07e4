internal import Messages
internal import RecordLog
internal import Timelines

extension Explanation {
    // MARK: - The entry

    var entryReasons: [Reason] {
        var reasons = [Reason(.entry, "\(entry.id): \(why)", rules: rules, sources: entrySources)]
        if let message = entry.message {
            reasons.append(
                Reason(.entry, "it says \"\(message.text)\" (\(message.code.rawValue))", rules: messageRules))
        }
        if let usable = facts.usable, record.timeline.entries.count >= usable.limit {
            reasons.append(
                Reason(
                    .entry,
                    "the timeline has as many entries as it may have, \(usable.limit): later ones may be left"
                        + " out", rules: ["T4"]))
        }
        return reasons + [Reason(.date, whenInForce, rules: ["T2", "T3"])]
    }

    private var why: String {
        guard let configuration = facts.usable else {
            return entry.phase == .error ? "the configuration cannot be used" : "as the configuration of then said"
        }
        return EntryReason.text(
            of: entry, in: record.timeline, configuration: configuration, at: record.generatedAt)
    }

    /// The rule of the entry's phase, and that of the strategy that drew it.
    private var rules: [String] {
        switch entry.phase {
        case .preEvent, .start, .end: ["T20", "T10"]
        case .day: ["T20", "T10"]
        case .status, .stale: ["T23"]
        case .tick: [strategyRule, "T11"]
        case .placeholder: strategyRule == "T23" ? ["T23", "T27"] : ["T26", "T27"]
        case .signedOut: ["T13"]
        case .selectVehicle: ["T23"]
        case .error: messageRules
        }
    }

    private var messageRules: [String] {
        switch entry.message?.code {
        case .configurationInvalid: ["T15"]
        case .signedOut: ["T13"]
        case .selectVehicle: ["T23"]
        case .loading: ["T27"]
        case .vehicleUnknown, .unreadable, .silent: ["T24", "T26"]
        case nil: ["T15"]
        }
    }

    private var strategyRule: String {
        switch facts.usable?.strategyName {
        case "fixedInterval": "T17"
        case "timesOfDay": "T18"
        case "fetched": "T19"
        case "events": "T20"
        case "dayNight": "T21"
        case "hourly": "T22"
        case "status": "T23"
        case "withRetry": "T24"
        case "preview": "T25"
        case "schedule": "S6"
        default: "T2"
        }
    }

    private var entrySources: [SourceOffset] {
        switch entry.phase {
        case .preEvent, .start, .end, .day: facts.sources(record, in: facts.topics.calendarEvents)
        case .status, .stale: facts.sources(record, in: facts.topics.telemetry)
        case .placeholder, .selectVehicle, .signedOut, .error:
            facts.sources(record, in: facts.topics.configurations)
        case .tick: record.sources
        }
    }

    private var whenInForce: String {
        let entries = record.timeline.entries
        let next = entries.first { $0.date > entry.date }
        let until = next.map { ", until \($0.id) at \($0.date.rfc3339)" } ?? ", with none behind it"
        let dated = "dated \(entry.date.rfc3339)"
        if entry.date > facts.at { return "\(dated): it comes into force then\(until)" }
        let current = entries.last { $0.date <= facts.at } ?? entries[0]
        if current == entry {
            return "\(dated): in force at \(facts.at.rfc3339) as the last whose date has come\(until)"
        }
        return "\(dated): at \(facts.at.rfc3339) \(current.id) has taken its place"
    }

    // MARK: - The status

    func statusReasons(with parser: inout JSONParser) -> [Reason] {
        guard let vehicle = entry.vehicle, let status = vehicle.status, entry.phase != .placeholder, !entry.isSample
        else { return [] }
        let places = facts.sources(record, in: facts.topics.telemetry)
        let seen = vehicle.observedAt.map { "observed at \($0.rfc3339)" } ?? "of unknown age"
        let members = places.compactMap { facts.sources[$0] }.first?.value.flatMap { value in
            try? value.withUnsafeBytes { try parser.object($0) }
        }
        if status == VehicleStatus.offline.rawValue, members?["status"] != .string(status),
            let observedAt = vehicle.observedAt
        {
            let length = silence.map { $0.words } ?? (entry.date - observedAt).words
            return [
                Reason(
                    .status,
                    "Offline, as nothing was heard of \(vehicle.vehicleId)"
                        + " for \(length); it was \(seen)", rules: ["T23", "T12"], sources: places)
            ]
        }
        guard let members else {
            return [Reason(.status, "\(status) of \(vehicle.vehicleId), \(seen)", rules: ["M3"], sources: places)]
        }
        if case .string(let said)? = members["status"] {
            let text =
                said == status ? "\(status), as the record says itself" : "\(status); the newest record says \(said)"
            return [Reason(.status, "\(text), \(seen)", rules: ["M3"], sources: places)]
        }
        var grounds: [String] = []
        if case .bool(let ignition)? = members["ignition"] { grounds.append("ignition \(ignition ? "on" : "off")") }
        if case .number(let speed)? = members["speed"] { grounds.append("a speed of \(speed) km/h") }
        let text =
            grounds.isEmpty
            ? "\(status): the newest record says neither status, ignition nor speed"
            : "\(status) follows from \(grounds.joined(separator: " and ")) in the newest record"
        return [Reason(.status, "\(text), \(seen)", rules: ["M3"], sources: places)]
    }

    /// How long the configuration's vehicle may be silent.
    var silence: ElapsedTime? {
        facts.usable.flatMap { TimelineProvider.needs(of: $0).vehicle?.offlineAfter }
    }

    // MARK: - Sources

    var sourceReasons: [Reason] {
        record.sources.map { source in
            guard let found = facts.sources[source] else {
                return Reason(
                    .source, "the topic holds it no more: retention or compaction removed it", rules: ["M7"],
                    sources: [source])
            }
            let key = found.key.map { " of key \(SecretMask.masked(id: String(decoding: $0, as: UTF8.self)))" } ?? ""
            return Reason(
                .source,
                "the newest record\(key) that the timeline was made of, written at"
                    + " \(found.timestamp.rfc3339)", rules: ["M7"], sources: [source])
        }
    }
}
