internal import Timelines

extension WidgetConfiguration {
    /// Reads all fields but the configurationId, with the defaults of DESIGN.md section 3.
    ///
    /// - Parameter declared: the declaration of its kind; nil where there is none.
    init(_ fields: MessageFields, configurationId: String, declared: WidgetKind?) throws(ConfigurationProblem) {
        let kind: String
        let strategy: StrategyChoice
        do throws(MessageProblem) {
            kind = try fields.require("kind", fields.text("kind"))
            guard !kind.isEmpty else { throw MessageProblem.notAllowed("kind", "text that is not empty") }
            strategy = try fields.strategy(declared)
        } catch {
            throw ConfigurationProblem(key: error.field ?? "", error.message)
        }
        self.init(
            configurationId: configurationId, kind: kind,
            strategy: try TimelineStrategies.strategy(named: strategy.name, options: strategy.options))
        family = declared?.defaultFamily ?? family
        do throws(MessageProblem) {
            try read(fields)
        } catch {
            throw ConfigurationProblem(key: error.field ?? "", error.message)
        }
        guard LocalCalendar(timeZone) != nil else { throw .unknownTimeZone(timeZone) }
        guard let declared else { return }
        try declared.check(family)
        parameters = try declared.checkedParameters(over: parameters)
    }

    private mutating func read(_ fields: MessageFields) throws(MessageProblem) {
        family = try fields.name("family", of: WidgetFamily.self) ?? family
        recipient = try fields.recipient() ?? configurationId
        timeZone = try fields.text("timeZone") ?? timeZone
        isSignedIn = try fields.bool("signedIn") ?? isSignedIn
        vehicleId = try fields.identifier("vehicleId")
        calendarIds = try fields.calendarIds()
        parameters = try fields.parameters()
        preEventLead = try fields.lead("preEventLead") ?? preEventLead
        mode = try fields.name("mode", of: TimelineScheduleMode.self) ?? mode
        maximumEntries = try fields.integer("maximumEntries", in: 1...500, "a whole number from 1 to 500").map(Int.init)
        sinks = try fields.sinks()
        if let object = try fields.fields("sensitivity") {
            let most = Double.greatestFiniteMagnitude
            sensitivity = Sensitivity(
                speed: try object.number("speed", in: 0...most, "a number of km/h, 0 or more"),
                distance: try object.number("distance", in: 0...most, "a number of metres, 0 or more"))
        }
    }
}

/// A strategy as a configuration, or the declaration of its kind, asks for it: a name, or `{name, …options}`.
struct StrategyChoice {
    var name: String
    var options: Parameters

    init(_ name: String, options: Parameters = Parameters()) {
        self.name = name
        self.options = options
    }

    init(_ value: ParameterValue) throws(MessageProblem) {
        switch value {
        case .string(let name): self.init(name)
        case .object(let members):
            let fields = MessageFields(members, path: "strategy")
            var options = members
            options["name"] = nil
            self.init(try fields.require("name", fields.text("name")), options: options)
        default: throw .wrongType("strategy", "a strategy's name, or an object {name, …options}")
        }
    }
}

extension MessageFields {
    /// Nil where the configuration is its own recipient.
    func recipient() throws(MessageProblem) -> String? {
        guard self["recipient"] != nil else { return nil }
        return try requiredIdentifier("recipient")
    }

    func parameters() throws(MessageProblem) -> Parameters {
        try fields("parameters")?.members ?? Parameters()
    }

    /// Names go into one header, separated by commas.
    func sinks() throws(MessageProblem) -> [String]? {
        guard let sinks = try texts("sinks") else { return nil }
        if sinks.contains(where: { $0.isEmpty || $0.utf8.contains(UInt8(ascii: ",")) }) {
            throw .notAllowed(path(to: "sinks"), "a list of names that are not empty and have no comma")
        }
        return sinks
    }

    fileprivate func calendarIds() throws(MessageProblem) -> [String] {
        var result: [String] = []
        for id in try identifiers("calendarIds") ?? [] {
            guard !id.isEmpty else { throw .notAllowed(path(to: "calendarIds"), "a list of texts that are not empty") }
            if !result.contains(where: { $0.isSameByUTF8(as: id) }) { result.append(id) }
        }
        return result
    }

    /// Without `strategy` the one of its declared kind; else `status` where a vehicle is named, else `events`. A
    /// vehicle that is yet to be chosen (empty or "0") counts as named where there is no calendar to show instead.
    fileprivate func strategy(_ declared: WidgetKind?) throws(MessageProblem) -> StrategyChoice {
        if let value = self["strategy"] ?? declared?.strategy { return try StrategyChoice(value) }
        guard let vehicleId = try identifier("vehicleId") else { return StrategyChoice("events") }
        let isChosen = !vehicleId.isEmpty && vehicleId != "0"
        let hasCalendars = try !calendarIds().isEmpty
        return StrategyChoice(isChosen || !hasCalendars ? "status" : "events")
    }
}
