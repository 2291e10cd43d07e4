internal import Messages
internal import Producers
internal import Timelines

/// Reads widget configurations: the last record of each id counts, as on a compacted topic.
struct ConfigurationFile: ~Copyable {
    private(set) var configurations: [WidgetConfiguration] = []
    /// What is probably not meant: configurations that later ones replace, and unknown fields.
    private(set) var remarks: [InputProblem] = []
    private var lines: [String: Int] = [:]
    private var parser = JSONParser()
    private let kinds: WidgetKinds
    private let at: Instant

    /// - Parameter at: the instant of the preview, for remarks about what is past then.
    init(kinds: WidgetKinds, at: Instant) {
        self.kinds = kinds
        self.at = at
    }

    /// The line on which the configuration of this id begins; `nil` means that there is none.
    func line(of configurationId: String) -> Int? { lines[configurationId] }

    /// All vehicles that a configuration names.
    var vehicles: Set<String> { Set(configurations.compactMap(\.chosenVehicle)) }

    mutating func read(_ file: String, problems: inout [InputProblem]) {
        let countBefore = problems.count
        var objects = ObjectFile(file, of: .configurations, problems: &problems)
        var isEmpty = true
        while let (object, record) = objects.next(problems: &problems) {
            isEmpty = false
            guard let value = record.value else {
                remove(String(decoding: record.key, as: UTF8.self))
                continue
            }
            do throws(MessageProblem) {
                try add(value, object, of: objects, problems: &problems)
            } catch {
                problems.append(objects.problem(object, error))
            }
        }
        if isEmpty, problems.count == countBefore {
            problems.append(InputProblem(file: file, line: nil, reason: "there is no configuration in it"))
        }
    }

    private mutating func add(
        _ value: [UInt8], _ object: JSONObject, of file: ObjectFile, problems: inout [InputProblem]
    ) throws(MessageProblem) {
        let message = try decode(value)
        try remarkUnknownFields(of: value, object, of: file)
        switch message {
        case .usable(let configuration):
            let id = configuration.configurationId
            if let line = lines[id] {
                let reason = "this configuration \"\(id)\" replaces that of line \(line)"
                remark(object.line, file, reason)
            }
            remove(id)
            lines[id] = object.line
            configurations.append(configuration)
            for warning in configuration.warnings(at: at) {
                remark(object.line(of: warning.prefix { $0 != ":" }.description), file, "\(id): \(warning)")
            }
        case .unusable(let unusable):
            for problem in unusable.problems.all {
                problems.append(
                    InputProblem(
                        file: file.file, line: object.line(of: problem.key),
                        reason: "\(problem.key): \(problem.message)"))
            }
        }
    }

    private mutating func remark(_ line: Int?, _ file: ObjectFile, _ reason: String) {
        remarks.append(InputProblem(file: file.file, line: line, reason: reason))
    }

    /// The topic ignores them; here they are more likely misspelt.
    private mutating func remarkUnknownFields(
        of value: [UInt8], _ object: JSONObject, of file: ObjectFile
    ) throws(MessageProblem) {
        let members = try value.withBytes { bytes throws(MessageProblem) in try parser.object(bytes) }
        for key in members.members.map(\.key) {
            guard let text = ConfigurationSchema.remark(onField: key) else { continue }
            remark(object.line(of: key), file, text)
        }
    }

    private mutating func remove(_ configurationId: String) {
        lines[configurationId] = nil
        configurations.removeAll { $0.configurationId.isSameByUTF8(as: configurationId) }
    }

    private mutating func decode(_ value: [UInt8]) throws(MessageProblem) -> ConfigurationMessage {
        try value.withBytes { bytes throws(MessageProblem) in
            try ConfigurationMessage.decode(bytes, kinds: kinds, with: &parser)
        }
    }
}
