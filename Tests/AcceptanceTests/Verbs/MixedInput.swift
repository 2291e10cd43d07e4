import RecordLog

/// Records of every kind, good and bad.
enum MixedInput {
    typealias Input = (key: String?, value: [UInt8]?, headers: [Header])

    struct Bad {
        var record: Input
        /// A part of the message that says why.
        var reason: String
    }

    static let clock = "2026-11-20T07:00:00Z"
    static let traceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    static let good: [(topic: String, records: [Input])] = [
        (
            "widget.configurations",
            [
                record("status", #"{"configurationId":"status","kind":"K","vehicleId":"v1","sinks":["files"]}"#),
                record(
                    "agenda",
                    #"{"configurationId":"agenda","kind":"A","family":"systemLarge","calendarIds":["c"],"#
                        + #""timeZone":"Asia/Tokyo"}"#
                ),
                record("none", #"{"configurationId":"none","kind":"K","strategy":"status","vehicleId":0}"#),
                record("unusable-zone", #"{"configurationId":"unusable-zone","kind":"K","timeZone":"Mars/Base"}"#),
                record(
                    "unusable-option",
                    #"{"configurationId":"unusable-option","kind":"K","strategy":{"name":"status","evry":"PT1M"}}"#),
                record("deleted", #"{"configurationId":"deleted","kind":"K","vehicleId":"v2"}"#),
                (key: "deleted", value: nil, headers: []),
            ]
        ),
        (
            "calendar.events",
            [
                record(
                    "c/one",
                    #"{"calendarId":"c","uid":"one","title":"One","start":"2026-11-20T09:00:00Z","#
                        + #""duration":"PT1H"}"#),
                record("c/day", #"{"calendarId":"c","uid":"day","title":"Day","start":"2026-11-20","allDay":true}"#),
                record(
                    "c/often",
                    #"{"calendarId":"c","uid":"often","title":"Often","status":"tentative","#
                        + #""start":"2026-11-01T18:00","end":"2026-11-01T18:30","timeZone":"Asia/Tokyo","#
                        + #""recurrence":["RRULE:FREQ=DAILY"]}"#
                ),
                record("c/gone", #"{"calendarId":"c","uid":"gone","title":"Gone","start":"2026-11-20T09:00:00Z"}"#),
                (key: "c/gone", value: nil, headers: []),
            ]
        ),
        (
            "vehicle.telemetry",
            [
                record("v1", #"{"vehicleId":"v1","observedAt":"2026-11-20T06:58:00Z","registration":"B-TL 101"}"#),
                record(
                    "v1", #"{"vehicleId":"v1","observedAt":1795157910000,"speed":10,"latitude":52,"longitude":13}"#),
                // Confluent framing: a zero byte and a schema id.
                (
                    key: "v2",
                    value: [0, 0, 0, 0, 7]
                        + Array(#"{"vehicleId":"v2","observedAt":"2026-11-20T06:59:00Z","speed":3}"#.utf8),
                    headers: []
                ),
            ]
        ),
    ]

    static let last: [Input] = [
        (
            key: "v1",
            value: Array(#"{"vehicleId":"v1","observedAt":"2026-11-20T06:59:30Z","ignition":true,"speed":50}"#.utf8),
            headers: []
        )
    ]

    /// A change of status, in a trace.
    static let traced: [Input] = [
        (
            key: "v1",
            value: Array(#"{"vehicleId":"v1","observedAt":"2026-11-20T06:59:40Z","ignition":true,"speed":0}"#.utf8),
            headers: [Header("traceparent", traceParent)]
        )
    ]

    static let bad: [(topic: String, bad: [Bad])] = [
        (
            "vehicle.telemetry",
            [
                bad("t-text", "not JSON at all", because: ""),
                bad("t-array", "[1, 2]", because: ""),
                bad("t-cut", #"{"vehicleId":"v1","observedAt":"#, because: ""),
                bad("t-id", #"{"observedAt":"2026-11-20T06:59:00Z"}"#, because: "vehicleId"),
                bad("t-empty-id", #"{"vehicleId":"","observedAt":"2026-11-20T06:59:00Z"}"#, because: "vehicleId"),
                bad("t-time", #"{"vehicleId":"v1","speed":1}"#, because: "observedAt"),
                bad("t-date", #"{"vehicleId":"v1","observedAt":"2026-02-30T06:59:00Z"}"#, because: "observedAt"),
                bad("t-status", #"{"vehicleId":"v1","observedAt":0,"status":"Parked"}"#, because: "status"),
                bad("t-speed", #"{"vehicleId":"v1","observedAt":0,"speed":"fast"}"#, because: "speed"),
                bad(
                    "t-latitude", #"{"vehicleId":"v1","observedAt":0,"latitude":91,"longitude":0}"#, because: "latitude"
                ),
                bad(
                    "t-large",
                    #"{"vehicleId":"v1","observedAt":0,"address":"\#(String(repeating: "x", count: 1 << 20))"}"#,
                    because: "1048576"),
                Bad(record: (key: "t-tombstone", value: nil, headers: [Header("a", "1")]), reason: "tombstone"),
                Bad(record: (key: nil, value: Array("{}".utf8), headers: [Header("empty", nil)]), reason: "vehicleId"),
            ]
        ),
        (
            "calendar.events",
            [
                bad("e-text", "nothing", because: ""),
                bad("e-uid", #"{"calendarId":"c","title":"t","start":"2026-11-20T09:00:00Z"}"#, because: "uid"),
                bad("e-calendar", #"{"uid":"u","title":"t","start":"2026-11-20T09:00:00Z"}"#, because: "calendarId"),
                bad("e-date", #"{"calendarId":"c","uid":"u","title":"t","start":"2026-11-31"}"#, because: "start"),
                bad(
                    "e-order",
                    #"{"calendarId":"c","uid":"u","title":"t","start":"2026-11-20T09:00:00Z","#
                        + #""end":"2026-11-20T08:00:00Z"}"#,
                    because: "end"),
                bad(
                    "e-zone",
                    #"{"calendarId":"c","uid":"u","title":"t","start":"2026-11-20T09:00","timeZone":"Mars/Base"}"#,
                    because: "timeZone"),
                bad(
                    "e-rule",
                    #"{"calendarId":"c","uid":"u","title":"t","start":"2026-11-20T09:00:00Z","#
                        + #""recurrence":["RRULE:FREQ=NEVER"]}"#,
                    because: "recurrence"),
            ]
        ),
        (
            "widget.configurations",
            [
                bad("w-text", "{", because: ""),
                bad("w-id", #"{"kind":"K"}"#, because: "configurationId"),
            ]
        ),
    ]

    private static func record(_ key: String, _ value: String) -> Input {
        (key: key, value: Array(value.utf8), headers: [])
    }

    private static func bad(_ key: String, _ value: String, because reason: String) -> Bad {
        Bad(
            record: (key: key, value: Array(value.utf8), headers: [Header("origin", "test"), Header("none", nil)]),
            reason: reason)
    }
}
