package import Timelines

extension TimelineRecord {
    /// Writes the value, keys in the order of the schema (M7). Same record, same bytes.
    package func write(to json: inout JSONWriter) {
        json.beginObject()
        json.string("configurationId", configurationId)
        json.string("kind", kind)
        json.string("family", family.rawValue)
        json.string("recipient", recipient)
        json.integer("revision", revision)
        json.instant("generatedAt", generatedAt)
        json.instant("validUntil", timeline.validUntil)
        json.key("entries")
        json.beginArray()
        for entry in timeline.entries { json.entry(entry) }
        json.endArray()
        json.integer("refreshCount", refreshCount)
        json.budget("budget", budget)
        json.policy("policy", timeline.policy)
        json.instant("nextUpdate", timeline.nextUpdate)
        json.sources("sources", sources)
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
        occurrence("event", entry.event)
        occurrences("ongoing", entry.ongoing)
        occurrence("next", entry.next)
        bool("tentative", entry.isTentative ? true : nil)
        vehicle("vehicle", entry.vehicle)
        values("values", entry.values)
        string("message", entry.message?.text)
        string("messageCode", entry.message?.code.rawValue)
        bool("sample", entry.isSample ? true : nil)
        relevance("relevance", entry.relevance)
        if !entry.parameters.isEmpty {
            key("parameters")
            object(entry.parameters)
        }
        endObject()
    }

    /// An occurrence as timelines show it; instants in UTC, of all-day ones dates.
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

    private mutating func occurrence(_ name: StaticString, _ value: Occurrence?) {
        guard let value else { return }
        key(name)
        occurrence(value)
    }

    private mutating func occurrences(_ name: StaticString, _ values: [Occurrence]?) {
        guard let values else { return }
        key(name)
        beginArray()
        for value in values { occurrence(value) }
        endArray()
    }

    private mutating func moment(_ name: StaticString, _ moment: Occurrence.Moment) {
        switch moment {
        case .instant(let value): instant(name, value)
        case .date(let value): date(name, value)
        }
    }

    private mutating func vehicle(_ name: StaticString, _ vehicle: TimelineEntry.VehicleView?) {
        guard let vehicle else { return }
        key(name)
        beginObject()
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
        endObject()
    }

    private mutating func values(_ name: StaticString, _ values: [TimelineEntry.NamedValue]?) {
        guard let values else { return }
        key(name)
        beginObject()
        for value in values {
            key(named: value.name)
            number(value.value)
        }
        endObject()
    }

    private mutating func relevance(_ name: StaticString, _ relevance: TimelineEntry.Relevance?) {
        guard let relevance else { return }
        key(name)
        beginObject()
        number("score", relevance.score)
        integer("duration", relevance.duration)
        endObject()
    }

    fileprivate mutating func policy(_ name: StaticString, _ policy: TimelineReloadPolicy) {
        key(name)
        beginObject()
        switch policy {
        case .atEnd: string("type", "atEnd")
        case .never: string("type", "never")
        case .after(let due):
            string("type", "after")
            instant("date", due)
        }
        endObject()
    }

    fileprivate mutating func sources(_ name: StaticString, _ sources: [SourceOffset]) {
        key(name)
        beginArray()
        for source in sources {
            beginObject()
            string("topic", source.topic)
            integer("partition", source.partition)
            integer("offset", source.offset)
            endObject()
        }
        endArray()
    }
}
