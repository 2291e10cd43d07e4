internal import Messages
internal import Producers
internal import Timelines

/// Reads widget configurations: the last record of each id counts, as on a compacted topic.
struct ConfigurationFile: ~Copyable {
    private(set) var configurations: [WidgetConfiguration] = []
    /// Configurations that are replaced by later ones.
    private(set) var remarks: [InputProblem] = []
    private var lines: [String: Int] = [:]
    private var parser = JSONParser()
    private let kinds: WidgetKinds

    init(kinds: WidgetKinds) {
        self.kinds = kinds
    }

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
                try take(value, object, of: objects, problems: &problems)
            } catch {
                problems.append(objects.problem(object, error))
            }
        }
        if isEmpty, problems.count == countBefore {
            problems.append(InputProblem(file: file, line: nil, reason: "there is no configuration in it"))
        }
    }

    private mutating func take(
        _ value: [UInt8], _ object: JSONObject, of file: ObjectFile, problems: inout [InputProblem]
    ) throws(MessageProblem) {
        let message = try decode(value)
        switch message {
        case .usable(let configuration):
            let id = configuration.configurationId
            if let line = lines[id] {
                let reason = "this configuration \"\(id)\" replaces that of line \(line)"
                remarks.append(InputProblem(file: file.file, line: object.line, reason: reason))
            }
            remove(id)
            lines[id] = object.line
            configurations.append(configuration)
        case .unusable(let unusable):
            for problem in try allProblems(of: value, from: unusable.problem) {
                problems.append(
                    InputProblem(
                        file: file.file, line: object.line(of: problem.key),
                        reason: "\(problem.key): \(problem.message)"))
            }
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

    /// A configuration says the first thing that is wrong with it. Without what is wrong it is read again, until it
    /// says nothing new.
    private mutating func allProblems(
        of value: [UInt8], from first: ConfigurationProblem
    ) throws(MessageProblem) -> [ConfigurationProblem] {
        var problems = [first]
        var last = first
        var members = try value.withBytes { bytes throws(MessageProblem) in try parser.object(bytes) }
        for _ in 0..<Self.repairsMax {
            guard let repaired = members.repaired(last.key) else { break }
            members = repaired
            var json = JSONWriter()
            json.object(members)
            guard case .unusable(let unusable) = try decode(json.bytes) else { break }
            last = unusable.problem
            // What a repair itself leaves missing is no problem of the file's.
            if !problems.contains(where: { $0.key == last.key }) { problems.append(last) }
        }
        return problems
    }

    private static let repairsMax = 64
}
