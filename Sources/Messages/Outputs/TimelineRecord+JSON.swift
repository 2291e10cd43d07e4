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
        json.entries(timeline.entries)
        json.integer("refreshCount", refreshCount)
        json.budget("budget", budget)
        json.object("policy", timeline.policy) { $0.fields(of: $1) }
        json.instant("nextUpdate", timeline.nextUpdate)
        json.array("sources", sources) { $0.source($1) }
        json.endObject()
    }
}

extension JSONWriter {
    /// Writes the entries of a timeline. Mostly they show one vehicle, the text of which is written once and copied.
    fileprivate mutating func entries(_ entries: [TimelineEntry]) {
        key("entries")
        beginArray()
        var shown: (vehicle: Indirect<TimelineEntry.VehicleView>, text: Range<Int>)?
        for entry in entries {
            self.entry(entry) { json, vehicle in
                if let shown, shown.vehicle.isSameObject(as: vehicle) { return json.again(shown.text) }
                let start = json.count
                json.object(of: vehicle.value)
                shown = (vehicle, start..<json.count)
            }
        }
        endArray()
    }

    /// Writes an entry, keys in the order of the schema; fields that are `nil` are left out.
    package mutating func entry(_ entry: TimelineEntry) {
        self.entry(entry) { $0.object(of: $1.value) }
    }

    @inline(__always)
    private mutating func entry(
        _ entry: TimelineEntry, vehicle: (inout JSONWriter, Indirect<TimelineEntry.VehicleView>) -> Void
    ) {
        beginObject()
        string("id", entry.id)
        instant("date", entry.date)
        string("phase", entry.phase.rawValue)
        field("event", entry.heldEvent) { $0.occurrence($1.value) }
        array("ongoing", entry.ongoing) { $0.occurrence($1) }
        field("next", entry.heldNext) { $0.occurrence($1.value) }
        bool("tentative", entry.isTentative ? true : nil)
        field("vehicle", entry.heldVehicle, vehicle)
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

    private mutating func object(of vehicle: TimelineEntry.VehicleView) {
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
