package import Timelines

extension TimelineRecord {
    /// Writes the value, keys in the order of the schema (M7). Same record, same bytes.
    package func write(to json: inout JSONWriter) {
        json.beginObject()
        json.string("configurationId", configurationId)
        json.string("kind", kind)
        json.string("family", family.rawValue)
        json.string("recipient", recipient)
        json.integer("revision", revision.rawValue)
        json.instant("generatedAt", generatedAt)
        json.instant("validUntil", timeline.validUntil)
        json.array("entries", timeline.entries) { $0.entry($1) }
        json.integer("refreshCount", refreshCount)
        json.budget("budget", budget)
        json.object("policy", timeline.policy) { $0.fields(of: $1) }
        json.instant("nextUpdate", timeline.nextUpdate)
        json.array("sources", sources) { $0.source($1) }
        json.endObject()
    }
}

extension JSONWriter {
    /// Writes an entry, keys in the order of the schema; fields that are `nil` are left out.
    package mutating func entry(_ entry: TimelineEntry) {
        beginObject()
        string("id", entry.id)
        instant("date", entry.date)
        string("phase", entry.phase.rawValue)
        field("event", entry.event) { $0.occurrence($1) }
        array("ongoing", entry.ongoing) { $0.occurrence($1) }
        field("next", entry.next) { $0.occurrence($1) }
        bool("tentative", entry.isTentative ? true : nil)
        object("vehicle", entry.vehicle) { $0.fields(of: $1) }
        object("values", entry.values) { json, values in
            for value in values {
                json.key(named: value.name)
                json.number(value.value)
            }
        }
        string("message", entry.message?.text)
        string("messageCode", entry.message?.code.rawValue)
        bool("sample", entry.isSample ? true : nil)
        object("relevance", entry.relevance) { json, relevance in
            json.number("score", relevance.score)
            json.integer("duration", relevance.duration)
        }
        if !entry.parameters.isEmpty {
            key("parameters")
            object(entry.parameters)
        }
        endObject()
    }

    /// Writes an occurrence as timelines show it: instants in UTC; dates if it is all-day.
    package mutating func occurrence(_ occurrence: Occurrence) {
        beginObject()
        string("calendarId", occurrence.calendarId)
        string("uid", occurrence.uid)
        if let recurrenceId = occurrence.recurrenceId { moment("recurrenceId", recurrenceId) }
        string("title", occurrence.title)
        string("location", occurrence.location)
        switch occurrence.when {
        case .timed(let start, let end):
            instant("start", start)
            instant("end", end)
        case .allDay(let start, let end):
            date("start", start)
            date("end", end)
        }
        bool("allDay", occurrence.isAllDay)
        endObject()
    }

    private mutating func moment(_ name: StaticString, _ moment: Occurrence.Moment) {
        switch moment {
        case .instant(let value): instant(name, value)
        case .date(let value): date(name, value)
        }
    }

    private mutating func fields(of vehicle: TimelineEntry.VehicleView) {
        string("vehicleId", vehicle.vehicleId)
        string("registration", vehicle.registration)
        string("alias", vehicle.alias)
        string("status", vehicle.status)
        number("speed", vehicle.speed)
        string("location", vehicle.location)
        number("latitude", vehicle.latitude)
        number("longitude", vehicle.longitude)
        string("customAddressIcon", vehicle.customAddressIcon)
        instant("observedAt", vehicle.observedAt)
    }

    fileprivate mutating func fields(of policy: TimelineReloadPolicy) {
        switch policy {
        case .atEnd: string("type", "atEnd")
        case .never: string("type", "never")
        case .after(let due):
            string("type", "after")
            instant("date", due)
        }
    }

    fileprivate mutating func source(_ source: SourceOffset) {
        beginObject()
        string("topic", source.topic)
        integer("partition", source.partition)
        integer("offset", source.offset)
        endObject()
    }
}
