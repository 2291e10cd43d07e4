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
    /// What it has of its own if it sends over HTTP.
    var http = HTTPSinkFields()

    /// True if the settings name it, false if the command line does.
    var isOfSettings: Bool { setting.hasPrefix("sinks.") }

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
            + " only timelines of configurations whose sinks name it. One whose to is an address of HTTP may have"
            + " secret or secret-file, hosts and batch of its own, in place of webhook.secret or webhook.secret-file,"
            + " sink.http.hosts and sink.http.batch. In place of all these, reloads keeps each reload in tables:"
            + " \(ReloadTable.allowed).")

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
