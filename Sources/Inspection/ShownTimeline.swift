package import Messages
package import Timelines

/// A timeline as `show` shows it to people and writes it for programs: what is in force at an instant, what comes, and
/// what it is made of. It never holds the secrets of the parameters: they are masked when it is made.
package struct ShownTimeline: Hashable, Sendable {
    /// The timeline, secrets masked.
    package let record: TimelineRecord
    package let place: SourceOffset
    /// The newest reload that names the configuration, as far as the topic holds one.
    package var reload: PlacedReload?

    package struct PlacedReload: Hashable, Sendable {
        package var reload: ReloadNotification
        package var place: SourceOffset

        package init(_ reload: ReloadNotification, at place: SourceOffset) {
            self.reload = reload
            self.place = place
        }
    }

    package init(_ record: TimelineRecord, at place: SourceOffset, reload: PlacedReload? = nil) {
        var masked = record
        masked.recipient = SecretMask.masked(id: record.recipient)
        for index in masked.timeline.entries.indices {
            masked.timeline.entries[index].parameters = masked.timeline.entries[index].parameters.masked
        }
        self.record = masked
        self.place = place
        self.reload = reload
    }

    /// The entry in force (T2).
    package func current(at now: Instant) -> TimelineEntry {
        let entries = record.timeline.entries
        return entries.last { $0.date <= now } ?? entries[0]
    }

    /// The entry after the one in force.
    package func next(at now: Instant) -> TimelineEntry? { record.timeline.entries.first { $0.date > now } }

    /// Writes one JSON object. Countdowns are in whole seconds, rounded up, 0 if the time has passed.
    package func write(to json: inout JSONWriter, at now: Instant) {
        json.beginObject()
        json.string("configurationId", record.configurationId)
        json.instant("at", now)
        json.place(place)
        json.key("now")
        json.entry(current(at: now))
        if let next = next(at: now) {
            json.key("next")
            json.entry(next)
            json.integer("nextInSeconds", Self.seconds(from: now, to: next.date))
        }
        if let update = record.timeline.nextUpdate {
            json.instant("nextUpdate", update)
            json.integer("nextUpdateInSeconds", Self.seconds(from: now, to: update))
        }
        json.instant("validUntil", record.timeline.validUntil)
        if let budget = record.budget {
            json.key("budget")
            json.beginObject()
            json.integer("limit", budget.limit)
            json.integer("remaining", budget.remaining)
            json.instant("resetsAt", budget.resetsAt)
            json.endObject()
        }
        json.array("sources", record.sources) { json, source in
            json.beginObject()
            json.place(source)
            json.endObject()
        }
        if let reload {
            json.key("lastReload")
            json.beginObject()
            json.place(reload.place)
            json.string("reason", reload.reload.reason.rawValue)
            json.integer("revision", reload.reload.revision.rawValue)
            json.instant("issuedAt", reload.reload.issuedAt)
            json.endObject()
        }
        json.key("timeline")
        record.write(to: &json)
        json.endObject()
    }

    private static func seconds(from now: Instant, to instant: Instant) -> Int64 {
        max(0, (instant.milliseconds - now.milliseconds + 999) / 1000)
    }
}

extension JSONWriter {
    /// Writes topic, partition and offset as fields of the open object.
    package mutating func place(_ place: SourceOffset) {
        string("topic", place.topic)
        integer("partition", place.partition)
        integer("offset", place.offset)
    }
}

extension Parameters {
    /// The members, secrets masked.
    package var masked: Parameters {
        Parameters(members.map { Member(key: $0.key, value: SecretMask.masked($0.value, named: $0.key)) })
    }
}
