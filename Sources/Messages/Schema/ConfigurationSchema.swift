package import Timelines

/// The JSON Schema of the topic `widget.configurations`: the fields as `WidgetConfiguration` reads them, strategies and
/// schedules from their registries.
package enum ConfigurationSchema {
    package static var schema: JSONSchema {
        [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": .value(.string(ContractVersion.schemaId("widget.configurations"))),
            "x-direction": "input",
            "title": "Widget configuration",
            "description": """
            Value of topic widget.configurations; the key is the configurationId. A record without value is a \
            tombstone. Unknown fields are ignored, but not inside strategy. A configuration that breaks these rules \
            gets an error timeline that names the key.
            """,
            "type": "object",
            "required": ["configurationId", "kind"],
            "properties": fields,
            "$defs": .object(StrategySchemas.definitions + definitions),
            "examples": examples,
        ]
    }

    private static var examples: JSONSchema {
        [
            [
                "configurationId": "courier", "kind": "TrackerStatusWidget", "vehicleId": "vehicle-0001",
                "recipient": "ana",
            ],
            [
                "configurationId": "van-12", "kind": "TrackerStatusWidget", "family": "systemMedium",
                "vehicleId": "vehicle-0002", "recipient": "ana", "timeZone": "Europe/Berlin",
                "strategy": ["name": "status", "every": "PT1M", "parkedEvery": "PT5M"],
                "sensitivity": ["speed": 20, "distance": 500], "sinks": ["files"],
                "push": ["token": "9f2c00aa", "topic": "com.example.app", "environment": "sandbox"],
            ],
            [
                "configurationId": "studio-wall", "kind": "AgendaWidget", "family": "systemLarge",
                "recipient": "studio", "timeZone": "Europe/Berlin", "calendarIds": ["studio"],
                "parameters": ["theme": "dark"], "strategy": "events", "preEventLead": "PT10M",
            ],
        ]
    }

    /// The fields that a configuration may have; others are ignored on read.
    private static var fieldNames: [String] {
        guard case .object(let members) = fields else { return [] }
        return members.map(\.key)
    }

    /// What to say of a field that a configuration may have and the pipeline ignores, for those who add fields of their
    /// own; `nil` of a field that it reads.
    package static func remark(onField name: String) -> String? {
        guard !fieldNames.contains(name) else { return nil }
        let nearest = nearestName(to: name, among: fieldNames).map { "; did you mean \($0)?" } ?? ""
        return "\(name): is no field of a configuration and is ignored\(nearest)"
    }

    private static var fields: JSONSchema {
        [
            "configurationId": ["$ref": "#/$defs/identifier"],
            "kind": ["type": "string", "minLength": 1],
            "family": ["enum": .names(WidgetFamily.allCases.map(\.rawValue)), "default": "systemMedium"],
            "recipient": [
                "description": "Who is told to reload; the configurationId by default.", "$ref": "#/$defs/identifier",
            ],
            "timeZone": ["description": "IANA name", "type": "string", "minLength": 1, "default": "UTC"],
            "signedIn": ["type": "boolean", "default": true],
            "vehicleId": ["description": "Empty or \"0\": none is chosen.", "type": ["string", "number"]],
            "calendarIds": ["type": "array", "items": ["$ref": "#/$defs/identifier"], "default": []],
            "parameters": ["description": "Carried into every entry.", "type": "object", "default": [:]],
            "strategy": [
                "description": """
                Without it: its kind's; else status where a vehicle is named (where it is empty or "0": where there \
                are no calendars), else events.
                """,
                "$ref": "#/$defs/strategy",
            ],
            "preEventLead": ["$ref": "#/$defs/lead", "default": "PT30M"],
            "mode": ["$ref": "#/$defs/mode", "default": "normal"],
            "maximumEntries": [
                "description": "5, 10 or 20 by family by default.", "type": "integer", "minimum": 1, "maximum": 500,
            ],
            "sinks": [
                "description": "Which sinks write the timelines; all by default.", "type": "array",
                "items": ["type": "string"],
            ],
            "sensitivity": sensitivity,
            "push": push,
        ]
    }

    private static var sensitivity: JSONSchema {
        [
            "description": "How much a vehicle changes before a timeline is made without a change of status.",
            "type": "object",
            "properties": [
                "speed": ["description": "km/h", "type": "number", "minimum": 0],
                "distance": ["description": "Metres", "type": "number", "minimum": 0],
            ],
        ]
    }

    private static var push: JSONSchema {
        [
            "description": "Where the widget takes WidgetKit's pushes.",
            "type": "object",
            "required": ["token", "topic"],
            "properties": [
                "token": [
                    "description": "The push token in hexadecimal digits.", "type": "string",
                    "pattern": "^([0-9A-Fa-f]{2})+$",
                ],
                "topic": [
                    "description": "The app's bundle identifier.", "type": "string",
                    "pattern": "^[A-Za-z0-9.-]{1,255}$",
                ],
                "environment": ["enum": ["production", "sandbox"], "default": "production"],
            ],
        ]
    }

    private static var definitions: [(key: String, value: JSONSchema)] {
        [
            ("mode", ["enum": .names(TimelineScheduleMode.allCases.map(\.rawValue))]),
            (
                "identifier",
                [
                    "description": "Text; a number is taken as its decimal text.", "type": ["string", "number"],
                    "minLength": 1,
                ]
            ),
            (
                "timeOfDay",
                ["description": "Local", "type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"]
            ),
        ] + OptionForm<CalendarDuration>.definitions + [("duration", duration), ("instant", instant)]
    }

    private static var duration: JSONSchema {
        [
            "description": """
            ISO 8601: weeks and days are local days, the rest is elapsed time; no months, years, signs or fractions.
            """,
            "type": "string",
            "pattern": "^P(?=[0-9T])([0-9]+W)?([0-9]+D)?(T(?=[0-9])([0-9]+H)?([0-9]+M)?([0-9]+S)?)?$",
        ]
    }

    private static var instant: JSONSchema {
        let pattern =
            "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$"
        return [
            "description": "RFC 3339 with offset, or milliseconds since 1970.",
            "anyOf": [
                ["type": "string", "format": "date-time", "pattern": .value(.string(pattern))], ["type": "integer"],
            ],
        ]
    }
}

extension JSONSchema {
    static func names(_ names: [String]) -> JSONSchema { .list(names.map { .value(.string($0)) }) }
}
