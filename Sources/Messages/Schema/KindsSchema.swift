package import Timelines

/// The JSON Schema of the setting `kinds`: declarations as `WidgetKinds` reads them.
package enum KindsSchema {
    package static var schema: JSONSchema {
        [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": .value(.string(ContractVersion.schemaId("kinds"))),
            "x-direction": "input",
            "title": "Widget kinds",
            "description": """
            The setting kinds, by kind: what a kind supports, and the parameters that its users may choose. No topic \
            has it. Where null stands, nothing is declared. Whole numbers are written without a fraction: 12, not 12.0.
            """,
            "type": "object",
            "propertyNames": ["minLength": 1],
            "additionalProperties": ["anyOf": [["type": "null"], ["$ref": "#/$defs/kind"]]],
            "$defs": ["kind": kind, "parameter": parameter, "reload": reload, "text": text],
            "examples": [example],
        ]
    }

    private static var kind: JSONSchema {
        let strategy = ContractVersion.schemaId("widget.configurations") + "#/$defs/strategy"
        return [
            "type": "object",
            "additionalProperties": false,
            "properties": [
                "displayName": ["$ref": "#/$defs/text"],
                "description": ["$ref": "#/$defs/text"],
                "supportedFamilies": [
                    "description": "All by default. Another one makes an error timeline.",
                    "type": ["array", "null"],
                    "items": ["enum": .names(WidgetFamily.allCases.map(\.rawValue))],
                    "minItems": 1,
                ],
                "strategy": [
                    "description": "Of configurations that name none.",
                    "anyOf": [["$ref": .value(.string(strategy))], ["type": "null"]],
                ],
                "parameters": [
                    "type": ["object", "null"], "additionalProperties": ["$ref": "#/$defs/parameter"],
                ],
                "reload": ["$ref": "#/$defs/reload"],
            ],
        ]
    }

    private static var parameter: JSONSchema {
        [
            "description": "A configuration must have it where there is no default.",
            "type": "object",
            "required": ["title", "type"],
            "additionalProperties": false,
            "properties": [
                "title": ["type": "string", "minLength": 1],
                "type": ["enum": .names(WidgetKind.ParameterType.allCases.map(\.rawValue))],
                "items": [
                    "description": "What each element is. Only for the type array.",
                    "enum": .names(WidgetKind.ItemType.allCases.map(\.rawValue)),
                    "default": .value(.string(WidgetKind.ItemType.string.rawValue)),
                ],
                "default": ["description": "Of the type, an array's elements of its items; null is none."],
            ],
            "if": ["required": ["items"]],
            "then": ["properties": ["type": ["const": "array"]]],
            "allOf": .list(
                WidgetKind.ParameterType.allCases.map(defaultOfType)
                    + WidgetKind.ItemType.allCases.map(defaultOfItems)),
        ]
    }

    private static func defaultOfType(_ type: WidgetKind.ParameterType) -> JSONSchema {
        let name = JSONSchema.value(.string(type.rawValue))
        return [
            "if": ["properties": ["type": ["const": name]]],
            "then": ["properties": ["default": ["type": [name, "null"]]]],
        ]
    }

    /// The type of an array's default. An array that does not say its items holds strings, so the condition holds also
    /// if `items` is absent.
    private static func defaultOfItems(_ items: WidgetKind.ItemType) -> JSONSchema {
        let name = JSONSchema.value(.string(items.rawValue))
        let needed: JSONSchema = items == .string ? ["type"] : ["type", "items"]
        return [
            "if": ["required": needed, "properties": ["type": ["const": "array"], "items": ["const": name]]],
            "then": ["properties": ["default": ["items": ["type": name]]]],
        ]
    }

    private static var reload: JSONSchema {
        let (limits, standard) = (WidgetKind.Reload.limits, WidgetKind.Reload.defaultLimit)
        let count: [(key: String, value: JSONSchema)] = [
            ("type", ["integer", "null"]), ("minimum", .value(.number("\(limits.lowerBound)"))),
            ("maximum", .value(.number("\(limits.upperBound)"))),
        ]
        return [
            "description": "How often recipients are told to load the kind anew; as the setting reload by default.",
            "type": ["object", "null"],
            "additionalProperties": false,
            "properties": [
                "limit": .object(
                    [
                        (
                            "description",
                            "Reloads of a configuration in any 24 hours."
                        )
                    ] + count),
                "burst": .object(
                    [
                        (
                            "description",
                            """
                            Of these at once. At most the limit: a larger one is refused, which a schema cannot say \
                            of a limit that is given; without one it is \(standard).
                            """
                        )
                    ] + count),
                "coalesce": [
                    "description": """
                    Changes so soon after the first go out with it: an ISO 8601 duration, PT0S to P1D. The pattern \
                    bounds each part; that their sum is at most a day it cannot say.
                    """,
                    "type": ["string", "null"],
                    "pattern": .value(.string(duration)),
                ],
                "scheduled": [
                    "description": "Whether a renewal at its own date is told, too.", "type": ["boolean", "null"],
                ],
            ],
            "if": ["properties": ["limit": ["type": "null"]]],
            "then": ["properties": ["burst": ["maximum": .value(.number("\(standard)"))]]],
        ]
    }

    /// The pattern of durations of at most 1 day, 24 hours, 1,440 minutes and 86,400 seconds.
    private static let duration =
        "^P(?=[0-9T])(0+W)?(0*[01]D)?(T(?=[0-9])(0*(1?[0-9]|2[0-4])H)?"
        + "(0*([0-9]{1,3}|1[0-3][0-9]{2}|14[0-3][0-9]|1440)M)?"
        + "(0*([0-9]{1,4}|[1-7][0-9]{4}|8[0-5][0-9]{3}|86[0-3][0-9]{2}|86400)S)?)?$"

    private static var text: JSONSchema { ["type": ["string", "null"], "minLength": 1] }

    private static var example: JSONSchema {
        [
            "TrackerStatusWidget": [
                "displayName": "Vehicle Status",
                "description": "Where a vehicle is, and what it does.",
                "supportedFamilies": ["systemMedium"],
                "strategy": ["name": "status", "every": "PT2M"],
                "parameters": [
                    "theme": ["title": "Theme", "type": "string", "default": "light"],
                    "showsSpeed": ["title": "Shows speed", "type": "boolean", "default": true],
                    "warnAt": ["title": "Warns at km/h", "type": "array", "items": "number", "default": [50, 100]],
                ],
                "reload": ["limit": 24, "burst": 6, "coalesce": "PT10S", "scheduled": false],
            ]
        ]
    }
}
