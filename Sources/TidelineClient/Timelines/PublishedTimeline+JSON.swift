internal import Positions

extension PublishedTimeline {
    /// Reads a value of the contract's `timelines`. Keys that this library does not know are ignored.
    ///
    /// - Throws: `.unreadable` with the path of the key, and what is allowed.
    public init(json bytes: some Sequence<UInt8>) throws(TidelineError) {
        try self.init(JSONFields(bytes))
    }

    init(_ fields: JSONFields) throws(TidelineError) {
        let objects = try fields.require("entries", fields.objects("entries"))
        var entries: [TimelineEntry] = []
        for object in objects {
            if let entry = try TimelineEntry(object) { entries.append(entry) }
        }
        self.init(
            configurationId: try fields.require("configurationId", fields.text("configurationId")),
            kind: try fields.require("kind", fields.text("kind")),
            family: try fields.require("family", fields.text("family")),
            recipient: try fields.require("recipient", fields.text("recipient")),
            revision: try fields.require("revision", fields.integer("revision")),
            generatedAt: try fields.require("generatedAt", fields.instant("generatedAt")),
            refreshCount: try fields.integer("refreshCount") ?? 0,
            timeline: Timeline(
                entries: entries, policy: try TimelineReloadPolicy(fields),
                nextUpdate: try fields.instant("nextUpdate"), validUntil: try fields.instant("validUntil")),
            unknownEntries: objects.count - entries.count)
    }
}

extension EntryWindow {
    init(_ fields: JSONFields) throws(TidelineError) {
        var entries: [TimelineEntry] = []
        for object in try fields.require("items", fields.objects("items")) {
            if let entry = try TimelineEntry(object) { entries.append(entry) }
        }
        self.init(
            entries: entries, first: Int(try fields.require("first", fields.integer("first"))),
            total: Int(try fields.require("total", fields.integer("total"))),
            position: try fields.integer("position").map { Int($0) })
    }
}

extension TimelineReloadPolicy {
    /// A policy that this library does not know is read by its date: after `nextUpdate`, or else never.
    fileprivate init(_ timeline: JSONFields) throws(TidelineError) {
        let policy = try timeline.require("policy", timeline.fields("policy"))
        switch try policy.require("type", policy.text("type")) {
        case "atEnd": self = .atEnd
        case "never": self = .never
        case "after": self = .after(try policy.require("date", policy.instant("date")))
        default: self = try timeline.instant("nextUpdate").map { .after($0) } ?? .never
        }
    }
}

extension TimelineEntry {
    /// Reads an entry; `nil` means that its phase is newer than this library.
    fileprivate init?(_ fields: JSONFields) throws(TidelineError) {
        guard let phase = Phase(rawValue: try fields.require("phase", fields.text("phase"))) else { return nil }
        self.init(
            id: try fields.require("id", fields.text("id")), date: try fields.require("date", fields.instant("date")),
            phase: phase)
        if let object = try fields.fields("event") { event = try Occurrence(object) }
        if let object = try fields.fields("next") { next = try Occurrence(object) }
        if let objects = try fields.objects("ongoing") {
            var occurrences: [Occurrence] = []
            for object in objects { occurrences.append(try Occurrence(object)) }
            ongoing = occurrences
        }
        isTentative = try fields.bool("tentative") ?? false
        isSample = try fields.bool("sample") ?? false
        if let object = try fields.fields("vehicle") { vehicle = try VehicleView(object) }
        if let object = try fields.fields("values") {
            var named: [NamedValue] = []
            for key in object.members.members.map(\.key) {
                named.append(NamedValue(name: key, value: try object.require(key, object.number(key))))
            }
            values = named
        }
        if let text = try fields.text("message") {
            // The text is what people see; a code that is newer than this library counts as `unreadable`.
            message = Message(text, code: try fields.text("messageCode").flatMap(Message.Code.init) ?? .unreadable)
        }
        if let object = try fields.fields("relevance") {
            relevance = Relevance(
                score: try object.require("score", object.number("score")),
                duration: try object.number("duration").flatMap { Int64(exactly: $0.rounded()) })
        }
        if let object = try fields.fields("parameters") { parameters = object.members }
    }
}

extension TimelineEntry.VehicleView {
    fileprivate init(_ fields: JSONFields) throws(TidelineError) {
        self.init(vehicleId: try fields.require("vehicleId", fields.text("vehicleId")))
        (registration, alias) = (try fields.text("registration"), try fields.text("alias"))
        (status, speed) = (try fields.text("status"), try fields.number("speed"))
        (location, customAddressIcon) = (try fields.text("location"), try fields.text("customAddressIcon"))
        (latitude, longitude) = (try fields.number("latitude"), try fields.number("longitude"))
        observedAt = try fields.instant("observedAt")
    }
}

extension Occurrence {
    fileprivate init(_ fields: JSONFields) throws(TidelineError) {
        let isAllDay = try fields.bool("allDay") ?? false
        let when: Extent
        let recurrence: Moment?
        if isAllDay {
            when = .allDay(
                start: try fields.require("start", fields.date("start")),
                end: try fields.require("end", fields.date("end")))
            recurrence = try fields.date("recurrenceId").map { .date($0) }
        } else {
            when = .timed(
                start: try fields.require("start", fields.instant("start")),
                end: try fields.require("end", fields.instant("end")))
            recurrence = try fields.instant("recurrenceId").map { .instant($0) }
        }
        self.init(
            calendarId: try fields.require("calendarId", fields.text("calendarId")),
            uid: try fields.require("uid", fields.text("uid")), recurrenceId: recurrence,
            title: try fields.text("title") ?? "", location: try fields.text("location"), when: when)
    }
}
