import Settings
import Sinks

/// A sink that the settings name, or one of the command line.
struct SinkDeclaration: Hashable, Sendable {
    var target: TimelineTarget
    /// The target as it was written. It may hold a password.
    var address: String
    var choice: SinkChoice
    /// The setting, or the option, that has its address.
    var setting: String

    var name: String { choice.name }

    /// What it writes.
    var content: SinkContent { if case .kept(let target) = self.target { target.content } else { .timelines } }

    /// The target for people, without passwords and without what of an address may be a secret.
    var shown: String {
        switch target {
        case .sent(let address): address.shown
        case .kept(.postgres(let address)), .kept(.reloads(.postgres(let address))): "\(address)"
        case .kept(.redis(let address)): "\(address)"
        case .kept: Secrets.masked(address)
        }
    }

    /// A sink that the settings do not name: it has the name of its sort.
    init(_ target: TimelineTarget, address: String) {
        self.init(target: target, address: address, choice: SinkChoice(name: target.name), setting: "--to")
        if content == .reloads { setting = "--reloads" }
    }

    init(target: TimelineTarget, address: String, choice: SinkChoice, setting: String) {
        self.setting = setting
        self.target = target
        self.address = address
        self.choice = choice
    }
}

/// The sinks that the settings name, in the order of the source.
struct SinkDeclarations: Hashable, Sendable {
    var all: [SinkDeclaration] = []

    subscript(name: String) -> SinkDeclaration? { all.first { $0.name == name } }
}

extension Keys {
    static let sinks = SettingKey(
        "sinks", .sinks, default: SinkDeclarations(),
        "Sinks of timelines by name, which 'tideline sink' runs: each with to, a target as of --to; only, conditions"
            + " such as kind=Bus on kind, family, recipient or configurationId; and default, false for one that takes"
            + " only timelines of configurations whose sinks name it. In place of these, reloads keeps each reload in"
            + " tables: \(ReloadTable.allowed).")

    static let sinkKeys: [any SettingDeclaration] = [sinks]
}

extension SettingType<SinkDeclarations> {
    fileprivate static var sinks: Self {
        .tree(allowed: "a map of sinks, in flags and variables as JSON") { tree throws(SettingTree.Problems) in
            var reading = SinkDeclarationReading()
            let declarations = reading.declarations(tree)
            if !reading.problems.isEmpty { throw SettingTree.Problems(reading.problems) }
            return declarations
        }
    }
}

/// Reads declarations. It goes on behind a problem, so that all are said.
private struct SinkDeclarationReading {
    var problems: [SettingTree.Problem] = []
    private static let members = ["to", "only", "default", "reloads"]

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
            problems.append(.init(path: [name, pair.key], "is not known; allowed are to, only, default, reloads"))
        }
        func member(_ key: String) -> SettingTree.Content? { pairs.first { $0.key == key }?.value.content }
        if let reloads = member("reloads") {
            for key in ["to", "only", "default"] where member(key) != nil {
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
        return SinkDeclaration(target: target, address: address, choice: choice, setting: "sinks.\(name).to")
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

    private mutating func refuse<Value>(_ path: [String], _ message: String) -> Value? {
        problems.append(.init(path: path, message))
        return nil
    }
}
