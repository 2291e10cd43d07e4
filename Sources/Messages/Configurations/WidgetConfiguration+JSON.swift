internal import Timelines

extension WidgetConfiguration {
    /// Reads all fields but the configurationId, with the defaults of M5.
    ///
    /// - Parameter declared: the declaration of its kind; `nil` if there is none.
    /// - Throws: all problems.
    init(_ fields: MessageFields, configurationId: String, declared: WidgetKind?) throws(ConfigurationProblems) {
        var reading = ConfigurationReading()
        let kind = reading.value { () throws(MessageProblem) in
            let kind = try fields.require("kind", fields.text("kind"))
            guard !kind.isEmpty else { throw MessageProblem.notAllowed("kind", "text that is not empty") }
            return kind
        }
        let strategy = reading.part { () throws(ConfigurationProblems) in
            let choice = try fields.strategy(declared)
            return try TimelineStrategies.strategy(named: choice.name, options: choice.options)
        }
        // The stand-in of a wrong part is thrown away with the whole configuration.
        self.init(
            configurationId: configurationId, kind: kind ?? "",
            strategy: strategy ?? TimelineStrategies.standIn)
        family = declared?.defaultFamily ?? family
        read(fields, &reading)
        if LocalCalendar(timeZone) == nil { reading.note(.unknownTimeZone(timeZone)) }
        if let declared {
            reading.part { () throws(ConfigurationProblems) in
                do throws(ConfigurationProblem) {
                    try declared.check(family)
                } catch {
                    throw ConfigurationProblems(error)
                }
            }
            let own = parameters
            parameters =
                reading.part { () throws(ConfigurationProblems) in try declared.checkedParameters(over: own) } ?? own
        }
        try reading.finish()
    }

    /// The fields that say whom the configuration is for and what it shows. All others, but the one of pushes, are the
    /// same for very many.
    static let ownFields: [StaticString] = ["configurationId", "recipient", "signedIn", "vehicleId", "calendarIds"]

    /// This configuration for others.
    ///
    /// - Parameter fields: its own fields; what else there is has to be the same as in this configuration's record.
    /// - Throws: the first of them that is wrong.
    func with(_ fields: MessageFields) throws(MessageProblem) -> WidgetConfiguration {
        var copy = self
        copy.configurationId = try fields.requiredIdentifier("configurationId")
        copy.recipient = try fields.recipient() ?? copy.configurationId
        copy.isSignedIn = try fields.bool("signedIn") ?? true
        copy.vehicleId = try fields.identifier("vehicleId")
        copy.calendarIds = try fields.calendarIds()
        return copy
    }

    /// This configuration for nobody.
    var withoutNames: WidgetConfiguration {
        var copy = self
        (copy.configurationId, copy.recipient, copy.vehicleId, copy.calendarIds) = ("", "", nil, [])
        return copy
    }

    private mutating func read(_ fields: MessageFields, _ reading: inout ConfigurationReading) {
        func value<Value>(_ read: () throws(MessageProblem) -> Value?) -> Value? { reading.value(read) ?? nil }
        family = value { () throws(MessageProblem) in try fields.name("family", of: WidgetFamily.self) } ?? family
        recipient = value(fields.recipient) ?? configurationId
        timeZone = value { () throws(MessageProblem) in try fields.text("timeZone") } ?? timeZone
        isSignedIn = value { () throws(MessageProblem) in try fields.bool("signedIn") } ?? isSignedIn
        vehicleId = value { () throws(MessageProblem) in try fields.identifier("vehicleId") }
        calendarIds = value(fields.calendarIds) ?? []
        parameters = value(fields.parameters) ?? Parameters()
        preEventLead = value { () throws(MessageProblem) in try fields.lead("preEventLead") } ?? preEventLead
        mode = value { () throws(MessageProblem) in try fields.name("mode", of: TimelineScheduleMode.self) } ?? mode
        maximumEntries = value { () throws(MessageProblem) in
            try fields.integer("maximumEntries", in: 1...500, "a whole number from 1 to 500").map(Int.init)
        }
        sinks = value(fields.sinks)
        sensitivity = value(fields.sensitivity)
    }
}

/// Reads a configuration to its end, also behind a part that is wrong.
private struct ConfigurationReading {
    private var problems: [ConfigurationProblem] = []

    mutating func note(_ problem: ConfigurationProblem) { problems.append(problem) }

    /// Reads a value and notes its problem; `nil` if there is one.
    mutating func value<Value>(_ read: () throws(MessageProblem) -> Value) -> Value? {
        do throws(MessageProblem) {
            return try read()
        } catch {
            note(ConfigurationProblem(key: error.field ?? "", error.message))
            return nil
        }
    }

    @discardableResult
    mutating func part<Value>(_ read: () throws(ConfigurationProblems) -> Value) -> Value? {
        do throws(ConfigurationProblems) {
            return try read()
        } catch {
            problems += error.all
            return nil
        }
    }

    func finish() throws(ConfigurationProblems) {
        if !problems.isEmpty { throw ConfigurationProblems(problems) }
    }
}

extension MessageFields {
    /// Reads the recipient; `nil` if the configuration is its own recipient.
    func recipient() throws(MessageProblem) -> String? {
        guard self["recipient"] != nil else { return nil }
        return try requiredIdentifier("recipient")
    }

    func parameters() throws(MessageProblem) -> Parameters {
        try fields("parameters")?.members ?? Parameters()
    }

    /// Reads the names of sinks. They go into one header, separated by commas.
    func sinks() throws(MessageProblem) -> [String]? {
        guard let sinks = try texts("sinks") else { return nil }
        if sinks.contains(where: { $0.isEmpty || $0.utf8.contains(UInt8(ascii: ",")) }) {
            throw .notAllowed(path(to: "sinks"), "a list of names that are not empty and have no comma")
        }
        return sinks
    }

    fileprivate func sensitivity() throws(MessageProblem) -> WidgetConfiguration.Sensitivity? {
        guard let fields = try fields("sensitivity") else { return nil }
        let most = Double.greatestFiniteMagnitude
        return WidgetConfiguration.Sensitivity(
            speed: try fields.number("speed", in: 0...most, "a number of km/h, 0 or more"),
            distance: try fields.number("distance", in: 0...most, "a number of metres, 0 or more"))
    }

    fileprivate func calendarIds() throws(MessageProblem) -> [String] {
        var result: [String] = []
        for id in try identifiers("calendarIds") ?? [] {
            guard !id.isEmpty else { throw .notAllowed(path(to: "calendarIds"), "a list of texts that are not empty") }
            if !result.contains(where: { $0.isSameByUTF8(as: id) }) { result.append(id) }
        }
        return result
    }

    /// Reads the strategy. Without `strategy` it is the one of the declared kind, else `status` if a vehicle is named,
    /// else `events`. A vehicle that is yet to be chosen (empty or "0") counts as named if there is no calendar to show
    /// instead.
    fileprivate func strategy(_ declared: WidgetKind?) throws(ConfigurationProblems) -> StrategyChoice {
        if let value = self["strategy"] ?? declared?.strategy {
            do throws(ConfigurationProblem) {
                return try StrategyChoice(value, path: "strategy")
            } catch {
                throw ConfigurationProblems(error)
            }
        }
        return StrategyChoice(impliedStrategy)
    }

    /// The strategy of a configuration that names none, and whose kind is not declared with one.
    var impliedStrategy: String {
        // Problems of these fields are noted by their own readers.
        guard let vehicleId = try? identifier("vehicleId") else { return "events" }
        let isChosen = !vehicleId.isEmpty && vehicleId != "0"
        let hasCalendars = (try? calendarIds())?.isEmpty == false
        return isChosen || !hasCalendars ? "status" : "events"
    }
}
