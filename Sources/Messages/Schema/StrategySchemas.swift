internal import Timelines

/// The definitions of strategies and schedules in the schema of configurations, from what each declares.
enum StrategySchemas {
    /// `strategy`, `plainStrategy`, one for each strategy, `timelineSchedule`.
    static var definitions: [(key: String, value: JSONSchema)] {
        let wrapper = WithRetryStrategy.name
        let plain = TimelineStrategies.all.filter { $0.name != wrapper }
        let names: JSONSchema = ["enum": .names(plain.map { $0.name })]
        return [
            ("strategy", ["anyOf": [reference(wrapper), reference("plainStrategy")]]),
            ("plainStrategy", ["anyOf": .list([names] + plain.map { reference($0.name) })]),
        ] + TimelineStrategies.all.map { ($0.name, schema(of: $0, isNamedAlone: $0.name == wrapper)) } + [
            ("timelineSchedule", ["oneOf": .list(TimelineSchedules.all.map(schema))])
        ]
    }

    /// - Parameter isNamedAlone: true if the schema accepts the name by itself.
    private static func schema(of strategy: any ConfigurableStrategy.Type, isNamedAlone: Bool) -> JSONSchema {
        let object = schema(named: strategy.name, by: "name", strategy.reference)
        return isNamedAlone ? ["anyOf": [["const": .value(.string(strategy.name))], object]] : object
    }

    private static func schema(of schedule: any ScheduleChoice.Type) -> JSONSchema {
        schema(named: schedule.name, by: "type", schedule.reference)
    }

    private static func schema(named name: String, by key: String, _ reference: StrategyReference) -> JSONSchema {
        let required = reference.options.filter { $0.defaultValue == nil && $0.withoutValue == nil }.map(\.key)
        let own: JSONSchema = ["const": .value(.string(name))]
        let options = reference.options.map { (key: $0.key, value: $0.schema) }
        return [
            "description": .value(.string(reference.summary)),
            "type": "object",
            "required": .names([key] + required),
            "additionalProperties": false,
            "properties": .object([(key: key, value: own)] + options),
        ]
    }

    private static func reference(_ definition: String) -> JSONSchema {
        ["$ref": .value(.string("#/$defs/\(definition)"))]
    }
}
