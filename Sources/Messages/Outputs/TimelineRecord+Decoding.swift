package import Timelines

extension TimelineRecord {
    /// Reads a value of the `timelines` topic. A record that `write(to:)` wrote reads back as the same record, except
    /// for the fields of an occurrence that are not written (lead, vehicle, tentative).
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, with parser: inout JSONParser
    ) throws(MessageProblem) -> TimelineRecord {
        let fields = MessageFields(try parser.object(bytes))
        var entries: [TimelineEntry] = []
        for entry in try fields.require("entries", fields.objects("entries")) {
            entries.append(try TimelineEntry(entry))
        }
        guard !entries.isEmpty else { throw .notAllowed("entries", "a list that is not empty") }
        var sources: [SourceOffset] = []
        for source in try fields.require("sources", fields.objects("sources")) {
            sources.append(try SourceOffset(source))
        }
        let policy = try TimelineReloadPolicy(fields.require("policy", fields.fields("policy")))
        return TimelineRecord(
            configurationId: try fields.requiredIdentifier("configurationId"),
            kind: try fields.require("kind", fields.text("kind")),
            family: try fields.require("family", fields.name("family", of: WidgetFamily.self)),
            recipient: try fields.requiredIdentifier("recipient"),
            revision: Revision(try fields.count("revision")),
            generatedAt: try fields.require("generatedAt", fields.instant("generatedAt")),
            timeline: Timeline(
                entries: entries, policy: policy, nextUpdate: try fields.instant("nextUpdate"),
                validUntil: try fields.instant("validUntil")),
            refreshCount: try fields.count("refreshCount"),
            budget: try fields.fields("budget").map { fields throws(MessageProblem) in try ReloadBudget(fields) },
            sources: sources)
    }
}

extension TimelineRecord {
    /// Reads the revision alone of a value of the `timelines` topic.
    package static func revision(
        in bytes: UnsafeRawBufferPointer, with parser: inout JSONParser
    ) throws(MessageProblem) -> Revision {
        Revision(try MessageFields(try parser.object(bytes)).count("revision"))
    }
}

extension MessageFields {
    func count(_ key: String) throws(MessageProblem) -> Int64 {
        try require(key, integer(key, in: 0...Int64.max, "a whole number, 0 or more"))
    }
}

extension SourceOffset {
    fileprivate init(_ fields: MessageFields) throws(MessageProblem) {
        let partition = try fields.integer("partition", in: 0...Int64(Int32.max), "a whole number, 0 or more")
        self.init(
            topic: try fields.require("topic", fields.text("topic")),
            partition: Int32(try fields.require("partition", partition)),
            offset: try fields.count("offset"))
    }
}

extension TimelineReloadPolicy {
    fileprivate init(_ fields: MessageFields) throws(MessageProblem) {
        switch try fields.require("type", fields.text("type")) {
        case "atEnd": self = .atEnd
        case "never": self = .never
        case "after": self = .after(try fields.require("date", fields.instant("date")))
        default: throw .notAllowed(fields.path(to: "type"), "one of atEnd, after, never")
        }
    }
}

extension TimelineEntry {
    fileprivate init(_ fields: MessageFields) throws(MessageProblem) {
        self.init(
            id: try fields.require("id", fields.text("id")),
            date: try fields.require("date", fields.instant("date")),
            phase: try fields.require("phase", fields.name("phase", of: Phase.self)))
        event = try fields.occurrence("event")
        next = try fields.occurrence("next")
        ongoing = try fields.occurrences("ongoing")
        isTentative = try fields.bool("tentative") ?? false
        if let object = try fields.fields("vehicle") { vehicle = try VehicleView(object) }
        if let object = try fields.fields("values") {
            var named: [NamedValue] = []
            for member in object.members.members {
                let value = try object.require(member.key, object.number(member.key))
                named.append(NamedValue(name: member.key, value: value))
            }
            values = named
        }
        if let text = try fields.text("message") {
            let code = try fields.name("messageCode", of: Message.Code.self)
            message = Message(text, code: try fields.require("messageCode", code))
        }
        isSample = try fields.bool("sample") ?? false
        if let object = try fields.fields("relevance") {
            let duration = try object.integer("duration", in: 0...Int64.max, "a whole number of seconds")
            relevance = Relevance(score: try object.require("score", object.number("score")), duration: duration)
        }
        if let object = try fields.fields("parameters") { parameters = object.members }
    }
}

extension TimelineEntry.VehicleView {
    fileprivate init(_ fields: MessageFields) throws(MessageProblem) {
        self.init(vehicleId: try fields.require("vehicleId", fields.identifier("vehicleId")))
        registration = try fields.text("registration")
        alias = try fields.text("alias")
        status = try fields.text("status")
        speed = try fields.number("speed")
        location = try fields.text("location")
        latitude = try fields.number("latitude")
        longitude = try fields.number("longitude")
        customAddressIcon = try fields.text("customAddressIcon")
        observedAt = try fields.instant("observedAt")
    }
}

extension Occurrence {
    fileprivate init(_ fields: MessageFields) throws(MessageProblem) {
        let isAllDay = try fields.bool("allDay") ?? false
        let when: Extent =
            isAllDay
            ? .allDay(
                start: try fields.require("start", fields.date("start")),
                end: try fields.require("end", fields.date("end")))
            : .timed(
                start: try fields.require("start", fields.instant("start")),
                end: try fields.require("end", fields.instant("end")))
        self.init(
            calendarId: try fields.requiredIdentifier("calendarId"),
            uid: try fields.requiredIdentifier("uid"),
            recurrenceId: isAllDay
                ? try fields.date("recurrenceId").map(Moment.date)
                : try fields.instant("recurrenceId").map(Moment.instant),
            title: try fields.text("title") ?? "",
            location: try fields.text("location"),
            when: when)
    }
}

extension MessageFields {
    func occurrence(_ key: String) throws(MessageProblem) -> Occurrence? {
        guard let fields = try fields(key) else { return nil }
        return try Occurrence(fields)
    }

    func occurrences(_ key: String) throws(MessageProblem) -> [Occurrence]? {
        guard let objects = try objects(key) else { return nil }
        var occurrences: [Occurrence] = []
        for object in objects { occurrences.append(try Occurrence(object)) }
        return occurrences
    }
}
