package import Timelines

/// All problems of the declarations of widget kinds.
package struct WidgetKindProblems: Error, Hashable, Sendable {
    /// The problems by kind, then in the order of the schema (M6). Never empty.
    package let problems: [Problem]

    package struct Problem: Hashable, Sendable {
        /// The path from the kind on: `["GameCharacter", "parameters", "health", "default"]`.
        package var path: [String]
        /// The problem and what is allowed, such as "must be true or false".
        package var message: String
    }
}

extension WidgetKinds {
    /// Reads the declarations of M6: an object by kind; null declares nothing.
    ///
    /// - Throws: all problems, also those of a strategy's options and of a default's type.
    package init(_ value: ParameterValue) throws(WidgetKindProblems) {
        var reader = WidgetKindReader()
        let members = reader.object(value, at: []) ?? Parameters()
        let kinds = members.members.map { reader.kind($0.key, $0.value) }
        guard reader.problems.isEmpty else { throw WidgetKindProblems(problems: reader.problems) }
        self.init(kinds)
    }
}

/// Reads declarations, also behind one that is wrong.
private struct WidgetKindReader {
    private(set) var problems: [WidgetKindProblems.Problem] = []

    private typealias Path = [String]

    // MARK: - Declarations

    mutating func kind(_ name: String, _ value: ParameterValue) -> WidgetKind {
        var kind = WidgetKind(kind: name)
        if name.isEmpty { refuse([name], "a kind's name must not be empty") }
        let known = ["displayName", "description", "supportedFamilies", "strategy", "parameters", "reload"]
        guard let members = object(value, at: [name], known: known) else { return kind }
        kind.displayName = text(members, "displayName", [name])
        kind.description = text(members, "description", [name])
        kind.supportedFamilies = families(members, [name])
        kind.strategy = strategy(members, [name])
        let parameters = object(members["parameters"], at: [name, "parameters"]) ?? Parameters()
        kind.parameters = parameters.members.compactMap {
            parameter($0.key, $0.value, [name, "parameters", $0.key])
        }
        kind.reload = reload(members["reload"], [name, "reload"])
        return kind
    }

    private mutating func families(_ members: Parameters, _ path: Path) -> [WidgetFamily]? {
        let path = path + ["supportedFamilies"]
        guard let value = member(members, "supportedFamilies") else { return nil }
        guard case .array(let elements) = value, !elements.isEmpty else {
            refuse(path, "must be a list of families that is not empty")
            return nil
        }
        var families: [WidgetFamily] = []
        for (index, element) in elements.enumerated() {
            if let family = name(element, of: WidgetFamily.self, path + [String(index)]), !families.contains(family) {
                families.append(family)
            }
        }
        return families
    }

    private mutating func strategy(_ members: Parameters, _ path: Path) -> ParameterValue? {
        guard let value = member(members, "strategy") else { return nil }
        func refuse(_ problem: ConfigurationProblem) {
            self.refuse(path + problem.key.split(separator: ".").map(String.init), problem.message)
        }
        do throws(ConfigurationProblem) {
            let choice = try StrategyChoice(value, path: "strategy")
            do throws(ConfigurationProblems) {
                _ = try TimelineStrategies.strategy(named: choice.name, options: choice.options)
            } catch {
                for problem in error.all { refuse(problem) }
            }
        } catch {
            refuse(error)
        }
        return value
    }

    private mutating func parameter(
        _ key: String, _ value: ParameterValue, _ path: Path
    ) -> WidgetKind.Parameter? {
        let declaration = value == .null ? .object(Parameters()) : value
        guard let members = object(declaration, at: path, known: ["title", "type", "items", "default"]) else {
            return nil
        }
        let title = text(members, "title", path)
        if title == nil && member(members, "title") == nil { refuse(path + ["title"], "is missing") }
        var type: WidgetKind.ParameterType?
        if let value = member(members, "type") {
            type = name(value, of: WidgetKind.ParameterType.self, path + ["type"])
        } else {
            refuse(path + ["type"], "is missing: must be \(Self.allowed(WidgetKind.ParameterType.self))")
        }
        var items: WidgetKind.ItemType?
        if let value = member(members, "items") {
            items = name(value, of: WidgetKind.ItemType.self, path + ["items"])
            if let type, type != .array { refuse(path + ["items"], "is only for the type array") }
        }
        guard let title, let type else { return nil }
        let parameter = WidgetKind.Parameter(
            key: key, title: title, type: type, items: items ?? .string, defaultValue: member(members, "default"))
        for fault in parameter.defaultValue.map(parameter.faults) ?? [] {
            let place = fault.element.map { [String($0)] } ?? []
            refuse(path + ["default"] + place, "must be \(fault.allowed), as its type says, not \(fault.found)")
        }
        return parameter
    }

    private mutating func reload(_ value: ParameterValue?, _ path: Path) -> WidgetKind.Reload {
        var reload = WidgetKind.Reload()
        let known = ["limit", "burst", "coalesce", "scheduled"]
        guard let members = object(value, at: path, known: known) else { return reload }
        reload.limit = integer(members, "limit", in: WidgetKind.Reload.limits, path)
        reload.burst = integer(members, "burst", in: WidgetKind.Reload.limits, path)
        let limit = reload.limit ?? WidgetKind.Reload.defaultLimit
        if let burst = reload.burst, burst > limit {
            refuse(path + ["burst"], "must be a whole number from 1 to the limit of \(limit)")
        }
        if let value = member(members, "coalesce") {
            if case .string(let text) = value, let duration = CalendarDuration(iso8601: text),
                duration.nominal <= .hours(24)
            {
                reload.coalesce = duration.nominal
            } else {
                refuse(path + ["coalesce"], "must be an ISO 8601 duration from PT0S to P1D, such as PT2S")
            }
        }
        if let value = member(members, "scheduled") {
            if case .bool(let bool) = value {
                reload.scheduled = bool
            } else {
                refuse(path + ["scheduled"], "must be true or false")
            }
        }
        return reload
    }

    // MARK: - Values

    /// The value of a member; `nil` if it is absent or null.
    private func member(_ members: Parameters, _ key: String) -> ParameterValue? {
        members[key].flatMap { $0 == .null ? nil : $0 }
    }

    /// Reads an object; `nil` if it is absent, null or refused. If known keys are named, all others are refused.
    mutating func object(_ value: ParameterValue?, at path: [String], known: [String]? = nil) -> Parameters? {
        switch value {
        case nil, .null: return nil
        case .object(let members):
            guard let known else { return members }
            for member in members.members where !known.contains(member.key) {
                let nearest = nearestName(to: member.key, among: known).map { "; did you mean \($0)?" } ?? ""
                refuse(path + [member.key], "is unknown; known are \(known.joined(separator: ", "))\(nearest)")
            }
            return members
        case .some:
            refuse(path, "must be an object")
            return nil
        }
    }

    private mutating func text(_ members: Parameters, _ key: String, _ path: Path) -> String? {
        guard let value = member(members, key) else { return nil }
        if case .string(let text) = value, !text.isEmpty { return text }
        refuse(path + [key], "must be a text that is not empty")
        return nil
    }

    private mutating func integer(_ members: Parameters, _ key: String, in range: ClosedRange<Int>, _ path: Path)
        -> Int?
    {
        guard let value = member(members, key) else { return nil }
        if case .number(let text) = value, let number = Int(text), range.contains(number) { return number }
        refuse(path + [key], "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        return nil
    }

    private mutating func name<Name>(_ value: ParameterValue, of type: Name.Type, _ path: Path) -> Name?
    where Name: RawRepresentable<String> & CaseIterable {
        guard case .string(let text) = value else {
            refuse(path, "must be \(Self.allowed(type))")
            return nil
        }
        if let name = Name(rawValue: text) { return name }
        let nearest = nearestName(to: text, among: type.allCases.map(\.rawValue))
        refuse(path, "must be \(Self.allowed(type))" + (nearest.map { "; did you mean \($0)?" } ?? ""))
        return nil
    }

    private static func allowed<Name>(_ type: Name.Type) -> String
    where Name: RawRepresentable<String> & CaseIterable {
        "one of \(type.allCases.map(\.rawValue).joined(separator: ", "))"
    }

    private mutating func refuse(_ path: [String], _ message: String) {
        problems.append(.init(path: path, message: message))
    }
}
