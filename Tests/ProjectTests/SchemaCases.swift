/// Values on the two sides of each rule that a schema has; one line each, so that a failure can be read.
enum SchemaCases {
    typealias Case = (topic: String, value: String)

    static let right: [Case] =
        telemetry.right.map { ("vehicle.telemetry", $0) } + events.right.map { ("calendar.events", $0) }
        + configurations.right.map { ("widget.configurations", $0) } + entries.right.map(timeline)
        + reloads.right.map { ("timeline.reloads", $0) } + positions.right.map { ("timeline.positions", $0) }
        + [("timelines", "null"), timelineWithPolicy(#"{"type": "never"}"#)]
        + kinds.right.map { ("kinds", $0) } + [("push", #"{"aps": {"content-changed": true}}"#)]
        + reloads.right.map { ("webhook", $0) } + merged.right.map { ("timeline.positions.merged", $0) }

    static let wrong: [Case] =
        telemetry.wrong.map { ("vehicle.telemetry", $0) } + events.wrong.map { ("calendar.events", $0) }
        + configurations.wrong.map { ("widget.configurations", $0) } + entries.wrong.map(timeline)
        + reloads.wrong.map { ("timeline.reloads", $0) } + positions.wrong.map { ("timeline.positions", $0) }
        + [
            ("timeline.reloads", "null"), ("no.such.topic", "{}"),
            timelineWithPolicy(#"{"type": "never"}, "nextUpdate": "2026-11-20T06:00:00Z""#),
            timelineWithPolicy(#"{"type": "atEnd"}"#), timelineWithPolicy(#"{"type": "after"}"#),
            timelineWithPolicy(#"{"type": "never"}, "extra": 1"#), ("push", "null"),
            ("push", #"{"aps": {"content-changed": false}}"#), ("push", #"{"aps": {"content-available": 1}}"#),
        ] + kinds.wrong.map { ("kinds", $0) } + reloads.wrong.map { ("webhook", $0) }
        + merged.wrong.map { ("timeline.positions.merged", $0) }

    /// What a later release may write.
    static let additions: [Case] = [
        timelineWithPolicy(#"{"type": "never"}, "extra": 1"#),
        timelineWithPolicy(#"{"type": "never", "until": 1}"#),
        timeline(entry: #"{"id": "later/1", \#(date), "phase": "later"}"#),
        timeline(entry: #"{"id": "i", \#(date), "phase": "tick", "extra": {"a": []}}"#),
        timeline(entry: #"{"id": "i", \#(date), "phase": "error", "message": "m", "messageCode": "later"}"#),
        timeline(entry: #"{"id": "i", \#(date), "phase": "tick", "vehicle": {"vehicleId": "v", "status": "Towed"}}"#),
        timeline(entry: #"{"id": "i", \#(date), "phase": "tick", "relevance": {"score": 1, "extra": 1}}"#),
        ("timeline.reloads", reload(reason: "later")), ("webhook", reload(reason: "later")),
        ("timeline.reloads", reload(reason: "retry", more: #", "extra": null"#)),
        ("webhook", reload(reason: "retry", more: #", "extra": null"#)),
        ("push", #"{"aps": {"content-changed": true, "extra": 1}}"#),
        ("timeline.positions.merged", mergedPosition(#""restorationMethod": "later""#)),
        ("timeline.positions.merged", mergedPosition(#""extra": {}"#)),
        ("push", #"{"aps": {"content-changed": true}, "extra": 1}"#),
    ]

    private static func reload(reason: String, more: String = "") -> String {
        """
        {"recipient": "r", "kind": "k", "configurationIds": ["c"], "reason": "\(reason)", "revision": 1, \
        "issuedAt": "2026-11-20T06:00:00Z", \
        "budget": {"limit": 48, "remaining": 0, "resetsAt": "2026-11-20T07:00:00Z"}\(more)}
        """
    }

    // MARK: - Input

    private static let telemetry = (
        right: [
            #"{"vehicleId": 17, "observedAt": 1795154405000}"#,
            #"{"vehicleId": "v", "observedAt": "2026-11-20T06:00:00.5+01:00", "speed": 0, "unknown": []}"#,
            #"{"vehicleId": "v", "observedAt": 0, "alias": null, "registration": "r", "series": null}"#,
            #"{"vehicleId": "v", "observedAt": 0, "series": {"a": [{"at": 0, "value": 1.5}]}}"#,
        ],
        wrong: [
            #"{"observedAt": 0}"#,
            #"{"vehicleId": "", "observedAt": 0}"#,
            #"{"vehicleId": "v"}"#,
            #"{"vehicleId": "v", "observedAt": "2026-11-20T06:00:00"}"#,
            #"{"vehicleId": "v", "observedAt": "2026-02-30T06:00:00Z"}"#,
            #"{"vehicleId": "v", "observedAt": 0, "status": "Parked"}"#,
            #"{"vehicleId": "v", "observedAt": 0, "latitude": 91, "longitude": 0}"#,
            #"{"vehicleId": "v", "observedAt": 0, "latitude": 1}"#,
            #"{"vehicleId": "v", "observedAt": 0, "series": {"a": [{"at": 0}]}}"#,
        ]
    )

    private static let events = (
        right: [
            #"{"calendarId": "c", "uid": "u", "title": "t", "start": "2026-11-20T06:00:00Z", "duration": "P1DT2H"}"#,
            #"{"calendarId": "c", "uid": "u", "title": "t", "start": "2026-11-20T06:00", "timeZone": "Europe/Paris"}"#,
            """
            {"calendarId": 1, "uid": 2, "title": "", "start": "2026-11-20", "allDay": true, \
            "recurrenceId": "2026-11-19"}
            """,
            #"{"id": "g", "status": "cancelled"}"#,
            """
            {"kind": "calendar#event", "id": "g", "summary": "s", "start": {"date": "2026-11-20"}, \
            "end": {"date": "2026-11-21"}}
            """,
            #"{"kind": "calendar#events", "items": [{"id": "g", "status": "cancelled"}]}"#,
            """
            {"@type": "Event", "uid": "u", "start": "2026-11-20T09:00:00", "timeZone": "Europe/Paris", \
            "recurrenceRules": [{"@type": "RecurrenceRule", "frequency": "weekly"}], \
            "recurrenceOverrides": {"2026-11-27T09:00:00": {"excluded": true}}}
            """,
            #"{"@type": "Group", "entries": [{"@type": "Task", "uid": "t"}]}"#,
            #"{"calendarId": "c", "uid": "u", "iCalendar": "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:u\r\n"}"#,
            """
            {"calendarId": "c", "uid": "u", "title": "t", "start": "2026-11-20T06:00", "iCalendar": "begin:vevent"}
            """,
        ],
        wrong: [
            #"{"calendarId": "c", "title": "t", "start": "2026-11-20T06:00:00Z"}"#,
            #"{"calendarId": "c", "uid": "u", "title": "t", "start": "2026-11-20T06:00:00"}"#,
            #"{"calendarId": "c", "uid": "u", "title": "t", "start": "2026-11-20"}"#,
            #"{"calendarId": "c", "uid": "u", "title": "t", "start": "2026-11-20T06:00:00Z", "allDay": true}"#,
            #"{"calendarId": "c", "uid": "u", "title": "t", "start": 0, "end": 1, "duration": "PT1H"}"#,
            #"{"calendarId": "c", "uid": "u", "title": "t", "start": 0, "duration": "P1M"}"#,
            #"{"calendarId": "c", "uid": "u", "title": "t", "start": 0, "duration": "PT"}"#,
            #"{"calendarId": "c", "uid": "u", "title": "t", "start": 0, "recurrence": ["FREQ=DAILY"]}"#,
            #"{"id": "g"}"#,
            #"{"kind": "calendar#events", "items": [{"id": "g"}]}"#,
            #"{"@type": "Event", "uid": "u", "start": "2026-11-20"}"#,
            #"{"@type": "Group", "entries": [{"@type": "Event", "uid": "u"}]}"#,
            #"{"calendarId": "c", "iCalendar": "BEGIN:VEVENT"}"#,
            #"{"calendarId": "c", "uid": "u", "iCalendar": "no calendar"}"#,
            #"{"calendarId": "c", "uid": "u", "iCalendar": 1}"#,
        ]
    )

    private static let configurations = (
        right: [
            #"{"configurationId": "c", "kind": "k", "vehicleId": ""}"#,
            #"{"configurationId": 1, "kind": "k", "vehicleId": 0, "strategy": "withRetry", "maximumEntries": 500}"#,
            """
            {"configurationId": "c", "kind": "k", "strategy": {"name": "withRetry", "inner": {"name": "status", \
            "every": "PT5M"}}}
            """,
            """
            {"configurationId": "c", "kind": "k", "strategy": {"name": "schedule", \
            "schedule": {"type": "periodic", "from": 0, "by": "PT5M"}}}
            """,
            #"{"configurationId": "c", "kind": "k", "strategy": {"name": "fixedInterval", "span": "limit"}}"#,
        ],
        wrong: [
            #"{"configurationId": "c"}"#,
            #"{"configurationId": "c", "kind": "k", "family": "huge"}"#,
            #"{"configurationId": "c", "kind": "k", "maximumEntries": 0}"#,
            #"{"configurationId": "c", "kind": "k", "preEventLead": "-PT5M"}"#,
            #"{"configurationId": "c", "kind": "k", "strategy": "sometimes"}"#,
            #"{"configurationId": "c", "kind": "k", "strategy": {"name": "status", "evry": "PT5M"}}"#,
            #"{"configurationId": "c", "kind": "k", "strategy": {"name": "status", "every": "PT0S"}}"#,
            #"{"configurationId": "c", "kind": "k", "strategy": {"name": "withRetry", "inner": "withRetry"}}"#,
            #"{"configurationId": "c", "kind": "k", "strategy": {"name": "timesOfDay", "times": ["24:00"]}}"#,
            #"{"configurationId": "c", "kind": "k", "strategy": {"name": "schedule", "schedule": {"type": "hourly"}}}"#,
        ]
    )

    private static let kinds = (
        right: [
            "{}", #"{"A": null, "B": {}}"#,
            #"{"A": {"strategy": "events", "supportedFamilies": ["systemSmall"], "reload": {"limit": 1}}}"#,
            #"{"A": {"strategy": {"name": "status", "every": "PT5M"}, "displayName": "a", "description": null}}"#,
            """
            {"A": {"parameters": {"a": {"title": "t", "type": "array", "items": "number", "default": [1]}, \
            "b": {"title": "t", "type": "string"}}}}
            """,
            parameter(#""array", "default": ["a"]"#), parameter(#""array", "items": "boolean", "default": []"#),
            parameter(#""number", "default": 1.5"#), parameter(#""boolean", "default": null"#),
            reload(#""coalesce": "P1D""#), reload(#""coalesce": "PT24H""#), reload(#""coalesce": "PT0S""#),
            reload(#""coalesce": "PT1440M""#), reload(#""coalesce": "PT86400S""#),
            reload(#""coalesce": "P0DT09H5M3S""#),
            reload(#""burst": 48"#), reload(#""burst": 49, "limit": 50"#), #"{"A": {"reload": null}}"#,
        ],
        wrong: [
            #"{"": {}}"#, #"{"A": 1}"#, #"{"A": {"families": []}}"#, #"{"A": {"supportedFamilies": []}}"#,
            #"{"A": {"supportedFamilies": ["huge"]}}"#, #"{"A": {"strategy": "sometimes"}}"#,
            #"{"A": {"strategy": {"name": "status", "evry": "PT5M"}}}"#, #"{"A": {"displayName": ""}}"#,
            #"{"A": {"parameters": {"a": {"type": "string"}}}}"#,
            #"{"A": {"parameters": {"a": {"title": "t", "type": "date"}}}}"#,
            #"{"A": {"parameters": {"a": {"title": "t", "type": "string", "items": "string"}}}}"#,
            reload(#""limit": 0"#), reload(#""coalesce": "2 s""#), reload(#""coalesce": "P2D""#),
            reload(#""coalesce": "P1W""#), reload(#""coalesce": "PT25H""#), reload(#""coalesce": "PT1441M""#),
            reload(#""coalesce": "PT86401S""#), reload(#""burst": 49"#), reload(#""burst": 49, "limit": null"#),
            parameter(#""string", "default": 1"#), parameter(#""number", "default": "1""#),
            parameter(#""boolean", "default": 0"#), parameter(#""array", "default": "a""#),
            parameter(#""array", "default": [1]"#), parameter(#""array", "items": "string", "default": [1]"#),
            parameter(#""array", "items": "number", "default": [1, "a"]"#),
            parameter(#""array", "items": "boolean", "default": [null]"#), parameter(#""string", "default": {}"#),
        ]
    )

    private static func parameter(_ type: String) -> String {
        #"{"A": {"parameters": {"p": {"title": "t", "type": \#(type)}}}}"#
    }

    private static func reload(_ members: String) -> String { #"{"A": {"reload": {\#(members)}}}"# }

    private static let positions = (
        right: [
            #"{"readerId": 1, "configurationId": "c", "entryId": "e", "observedAt": 0, "fraction": 1}"#,
            #"{"readerId": "r", "configurationId": "c", "deviceId": "", "entryId": 7, "observedAt": 0, "history": []}"#,
            position(#""readEntries": [{"entryId": "e", "at": 0}], "dismissed": []"#),
            position(#""history": [{"entryId": "e", "observedAt": 0, "title": "t", "later": 1}], "index": 0"#),
        ],
        wrong: [
            position(#""readEntries": [{"entryId": "e"}]"#), position(#""dismissed": {}"#),
            position(#""history": [{"entryId": "e", "observedAt": 0, "fraction": -1}]"#),
            position(#""restorationMethod": "exact""#), position(#""index": -1"#), position(#""entryDate": "today""#),
            #"{"readerId": 1, "configurationId": "c", "observedAt": 0}"#,
            #"{"readerId": 1, "configurationId": "c", "entryId": "e", "observedAt": 0, "fraction": 1.1}"#,
        ]
    )

    private static func position(_ members: String) -> String {
        #"{"readerId": "r", "configurationId": "c", "entryId": "e", "observedAt": 0, \#(members)}"#
    }

    private static let merged = (
        right: [
            "null", #"{"readerId": "r", "configurationId": "c", "devices": []}"#,
            mergedPosition(#""restorationMethod": "fallback""#),
            mergedPosition(#""entryDate": "2026-11-20T06:00:00Z""#),
        ],
        wrong: [
            #"{"readerId": "r", "configurationId": "c"}"#, mergedPosition(#""fraction": 2"#),
            mergedPosition(#""restorationMethod": "exact""#), mergedPosition(#""entryDate": 0"#),
            #"{"readerId": "r", "configurationId": "c", "devices": [], "dismissed": []}"#,
            #"{"readerId": "r", "configurationId": "c", "devices": [{"deviceId": "d"}]}"#,
        ]
    )

    private static func mergedPosition(_ members: String) -> String {
        """
        {"readerId": "r", "configurationId": "c", "devices": [{"deviceId": "d", "position": \
        {"entryId": "e", "observedAt": "2026-11-20T06:00:00Z", \(members)}}]}
        """
    }

    // MARK: - Output

    private static func timeline(entry: String) -> Case {
        timelineWithPolicy(#"{"type": "never"}"#, entry: entry)
    }

    private static func timelineWithPolicy(
        _ policy: String, entry: String = #"{"id": "tick/1", "date": "2026-11-20T06:00:00Z", "phase": "tick"}"#
    ) -> Case {
        (
            "timelines",
            """
            {"configurationId": "c", "kind": "k", "family": "systemMedium", "recipient": "c", "revision": 1, \
            "generatedAt": "2026-11-20T06:00:00Z", "entries": [\(entry)], "refreshCount": 1, "sources": [], \
            "policy": \(policy)}
            """
        )
    }

    private static let date = #""date": "2026-11-20T06:00:00Z""#
    private static let occurrence =
        #"{"calendarId": "c", "uid": "u", "title": "t", "start": "2026-11-20", "end": "2026-11-21", "allDay": true}"#

    private static let entries = (
        right: [
            #"{"id": "i", "date": "2026-11-20T06:00:00.250Z", "phase": "tick", "values": {"battery": 1}}"#,
            #"{"id": "i", \#(date), "phase": "start", "event": \#(occurrence), "tentative": true}"#,
            #"{"id": "i", \#(date), "phase": "day", "ongoing": [], "next": \#(occurrence)}"#,
            #"{"id": "i", \#(date), "phase": "placeholder", "vehicle": {"vehicleId": "v", "status": "Loading..."}}"#,
            #"{"id": "i", \#(date), "phase": "error", "message": "m", "messageCode": "configurationInvalid"}"#,
        ],
        wrong: [
            #"{"id": "i", "date": "2026-11-20T07:00:00+01:00", "phase": "tick"}"#,
            #"{"id": "i", "date": "2026-11-20T06:00:00.000Z", "phase": "tick"}"#,
            #"{"id": "i", \#(date), "phase": "tick", "vehicle": {"vehicleId": "v", "status": "Loading..."}}"#,
            #"{"id": "i", \#(date), "phase": "tick", "tentative": false}"#,
            #"{"id": "i", \#(date), "phase": "start"}"#,
            #"{"id": "i", \#(date), "phase": "day"}"#,
            #"{"id": "i", \#(date), "phase": "status", "vehicle": {"vehicleId": "v"}}"#,
            #"{"id": "i", \#(date), "phase": "error", "message": "m"}"#,
            #"{"id": "i", \#(date), "phase": "signedOut", "parameters": {}}"#,
            #"{"id": "i", \#(date), "phase": "tick", "colour": "red"}"#,
            """
            {"id": "i", \(date), "phase": "start", "event": {"calendarId": "c", "uid": "u", "title": "t", \
            "start": "2026-11-20T06:00:00Z", "end": "2026-11-21", "allDay": false}}
            """,
        ]
    )

    private static let reloads = (
        right: [
            """
            {"recipient": "r", "kind": "k", "configurationIds": ["c"], "reason": "retry", "revision": 1, \
            "issuedAt": "2026-11-20T06:00:00Z", \
            "budget": {"limit": 48, "remaining": 0, "resetsAt": "2026-11-20T12:00:00Z"}}
            """
        ],
        wrong: [
            """
            {"recipient": "r", "kind": "k", "configurationIds": ["c"], "reason": "retry", "revision": 1, \
            "issuedAt": "2026-11-20T06:00:00Z"}
            """,
            """
            {"recipient": "r", "kind": "k", "configurationIds": ["c"], "reason": "retry", "revision": 1, \
            "issuedAt": "2026-11-20T06:00:00Z", \
            "budget": {"limit": 0, "remaining": 0, "resetsAt": "2026-11-20T12:00:00Z"}}
            """,
            """
            {"recipient": "r", "kind": "k", "configurationIds": [], "reason": "retry", "revision": 1, \
            "issuedAt": "2026-11-20T06:00:00Z", \
            "budget": {"limit": 48, "remaining": 0, "resetsAt": "2026-11-20T12:00:00Z"}}
            """,
            """
            {"recipient": "r", "kind": "k", "configurationIds": ["c"], "reason": "why", "revision": 1, \
            "issuedAt": "2026-11-20T06:00:00Z", \
            "budget": {"limit": 48, "remaining": 0, "resetsAt": "2026-11-20T12:00:00Z"}}
            """,
            """
            {"recipient": "r", "kind": "k", "configurationIds": ["c"], "reason": "retry", "revision": 0, \
            "issuedAt": "2026-11-20T06:00:00Z", \
            "budget": {"limit": 48, "remaining": 0, "resetsAt": "2026-11-20T12:00:00Z"}}
            """,
            """
            {"recipient": "r", "kind": "k", "configurationIds": ["c"], "reason": "retry", "revision": 1, \
            "issuedAt": 0, \
            "budget": {"limit": 48, "remaining": 0, "resetsAt": "2026-11-20T12:00:00Z"}}
            """,
        ]
    )
}
