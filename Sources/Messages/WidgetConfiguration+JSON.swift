internal import Timelines

extension WidgetConfiguration {
    /// Reads all fields but the configurationId, with the defaults of DESIGN.md section 3.
    init(_ fields: MessageFields, configurationId: String) throws(ConfigurationProblem) {
        let kind: String
        let strategy: StrategyName
        do throws(MessageProblem) {
            kind = try fields.require("kind", fields.text("kind"))
            guard !kind.isEmpty else { throw MessageProblem.notAllowed("kind", "text that is not empty") }
            strategy = try fields.strategy()
        } catch {
            throw ConfigurationProblem(key: error.field ?? "", error.message)
        }
        self.init(
            configurationId: configurationId, kind: kind,
            strategy: try TimelineStrategies.strategy(named: strategy.name, options: strategy.options))
        do throws(MessageProblem) {
            try read(fields)
        } catch {
            throw ConfigurationProblem(key: error.field ?? "", error.message)
        }
        guard LocalCalendar(timeZone) != nil else { throw .unknownTimeZone(timeZone) }
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

/// A strategy as a configuration asks for it.
private typealias StrategyName = (name: String, options: Parameters)

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

    /// Without `strategy`: `status` where a vehicle is named, else `events`. A vehicle that is yet to be chosen
    /// (empty or "0") counts as named where there is no calendar to show instead.
    fileprivate func strategy() throws(MessageProblem) -> StrategyName {
        switch self["strategy"] {
        case .string(let name): return (name, Parameters())
        case .object(let members):
            let fields = MessageFields(members, path: "strategy")
            var options = members
            options["name"] = nil
            return (try fields.require("name", fields.text("name")), options)
        case .some:
            throw .wrongType("strategy", "a strategy's name, or an object {name, …options}")
        case nil:
            guard let vehicleId = try identifier("vehicleId") else { return ("events", Parameters()) }
            let isChosen = !vehicleId.isEmpty && vehicleId != "0"
            let hasCalendars = try !calendarIds().isEmpty
            return (isChosen || !hasCalendars ? "status" : "events", Parameters())
        }
    }
}
