import Settings
import Sinks

/// Reads declarations. It goes on behind a problem, so that all are said.
struct SinkDeclarationReading {
    var problems: [SettingTree.Problem] = []
    private static let ofTimelines = ["to", "only", "default"] + HTTPSinkFields.names
    private static let members = ofTimelines + ["reloads"]

    mutating func declarations(_ tree: SettingTree) -> SinkDeclarations {
        if case .null = tree.content { return SinkDeclarations() }
        guard case .map(let pairs) = tree.content else {
            problems.append(.init(path: [], "must be a map of sinks by name, such as {phones: {to: 'files:out'}}"))
            return SinkDeclarations()
        }
        let all = pairs.compactMap { declaration($0.key, $0.value) }
        for (index, one) in all.enumerated() {
            guard let other = all[..<index].first(where: { $0.target == one.target }) else { continue }
            let member = one.content == .reloads ? "reloads" : "to"
            problems.append(
                .init(path: [one.name, member], "must be another target than that of \(other.name): each has one sink"))
        }
        return SinkDeclarations(all: all)
    }

    private mutating func declaration(_ name: String, _ tree: SettingTree) -> SinkDeclaration? {
        guard name.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._-]{0,99}/) != nil else {
            return refuse([name], "must be named by 1 to 100 letters, digits, '.', '_' and '-'")
        }
        guard case .map(let pairs) = tree.content else {
            return refuse([name], "must be a map with to, such as {to: 'files:out'}")
        }
        for pair in pairs where !Self.members.contains(pair.key) {
            let allowed = Self.members.joined(separator: ", ")
            problems.append(.init(path: [name, pair.key], "is not known; allowed are \(allowed)"))
        }
        func member(_ key: String) -> SettingTree.Content? { pairs.first { $0.key == key }?.value.content }
        if let reloads = member("reloads") {
            for key in Self.ofTimelines where member(key) != nil {
                problems.append(.init(path: [name, key], "is of timelines, and cannot be beside reloads"))
            }
            return self.reloads(name, reloads)
        }
        guard let (address, target) = target([name, "to"], member("to")) else { return nil }
        var choice = SinkChoice(name: name)
        switch member("default") {
        case nil: break
        case .bool(let isDefault)?: choice.isDefault = isDefault
        default: problems.append(.init(path: [name, "default"], "must be true or false"))
        }
        choice.conditions = conditions([name, "only"], member("only"))
        var declaration = SinkDeclaration(
            target: target, address: address, choice: choice, setting: "sinks.\(name).to")
        let fields = pairs.filter { HTTPSinkFields.names.contains($0.key) }
        if case .sent(let address) = target {
            declaration.http = http(name, fields, address)
        } else {
            for field in fields { problems.append(.init(path: [name, field.key], HTTPSinkFields.needsAddress)) }
        }
        return declaration
    }

    private mutating func reloads(_ name: String, _ content: SettingTree.Content) -> SinkDeclaration? {
        let path = [name, "reloads"]
        guard case .text(let address) = content else { return refuse(path, "must be \(ReloadTable.allowed)") }
        do throws(SinkTarget.Problem) {
            guard let table = try ReloadTable(address) else { return refuse(path, "must be \(ReloadTable.allowed)") }
            return SinkDeclaration(
                target: .kept(.reloads(table)), address: address, choice: SinkChoice(name: name),
                setting: "sinks.\(name).reloads")
        } catch {
            return refuse(path, error.description)
        }
    }

    private mutating func target(_ path: [String], _ content: SettingTree.Content?) -> (String, TimelineTarget)? {
        guard case .text(let address)? = content else {
            return refuse(path, "must be \(TimelineTarget.allowed)")
        }
        do throws(TimelineTarget.Problem) {
            return (address, try TimelineTarget(address))
        } catch {
            return refuse(path, error.description)
        }
    }

    private mutating func conditions(_ path: [String], _ content: SettingTree.Content?) -> [SinkChoice.Condition] {
        let texts: [SettingTree.Content]
        switch content {
        case nil: return []
        case .list(let elements)?: texts = elements.map(\.content)
        case let one?: texts = [one]
        }
        return texts.compactMap { condition(path, $0) }
    }

    private mutating func condition(_ path: [String], _ content: SettingTree.Content) -> SinkChoice.Condition? {
        let members = SinkChoice.Condition.Member.allCases.map(\.rawValue).joined(separator: ", ")
        guard case .text(let text) = content, let split = text.firstIndex(of: "="),
            let member = SinkChoice.Condition.Member(rawValue: String(text[..<split]))
        else {
            return refuse(path, "must be FIELD=VALUE, or a list of such; fields are \(members)")
        }
        return SinkChoice.Condition(member, String(text[text.index(after: split)...]))
    }

    mutating func refuse<Value>(_ path: [String], _ message: String) -> Value? {
        problems.append(.init(path: path, message))
        return nil
    }
}
