import Messages
import Settings
import Timelines

extension SettingType<WidgetKinds> {
    /// Declarations of widget kinds (M6).
    static var kinds: Self {
        .tree(allowed: "a map of kinds, in flags and variables as JSON") { tree throws(SettingTree.Problems) in
            do throws(WidgetKindProblems) {
                return try WidgetKinds(ParameterValue(tree))
            } catch {
                throw SettingTree.Problems(error.problems.map { .init(path: $0.path, $0.message) })
            }
        }
    }
}

extension ParameterValue {
    fileprivate init(_ tree: SettingTree) {
        self =
            switch tree.content {
            case .null: .null
            case .bool(let bool): .bool(bool)
            case .number(let text): .number(text)
            case .text(let text): .string(text)
            case .list(let elements): .array(elements.map { Self($0) })
            case .map(let pairs): .object(Parameters(pairs.map { .init(key: $0.key, value: Self($0.value)) }))
            }
    }
}

/// What holds for the reloads of every kind that says nothing else (L1 to L9).
extension Keys {
    static let reloadLimit = SettingKey(
        "reload.limit", .integer(WidgetKind.Reload.limits), default: WidgetKind.Reload.defaultLimit,
        "Reloads of a configuration in any 24 hours; of a kind: reload.limit under its name in kinds.")
    static let reloadBurst = SettingKey(
        "reload.burst", .integer(WidgetKind.Reload.limits), default: 10,
        "Reloads of a configuration at once, at most its limit; of a kind with a limit of its own, less than that."
            + " Of a kind: reload.burst under its name in kinds.")
    static let reloadCoalesce = SettingKey(
        "reload.coalesce", .duration(.zero ... .seconds(86_400)), default: .seconds(2),
        "Changes within so long of the first go out together; of a kind: reload.coalesce under its name in kinds.")
    static let reloadScheduled = SettingKey(
        "reload.scheduled", .bool, default: false,
        "Whether renewals are announced, for a token each; of a kind: reload.scheduled under its name in kinds.")

    static let reloadRules = [
        SettingsRule("a burst is at most the limit", keys: [reloadBurst.name, reloadLimit.name]) {
            $0.source(of: reloadBurst.name) == .default || $0[reloadBurst] <= $0[reloadLimit]
        },
        SettingsRule("a kind's reload.burst is at most its limit", keys: [kinds.name, reloadLimit.name]) { settings in
            settings[kinds].all.allSatisfy { kind in
                (kind.reload.burst ?? 1) <= kind.reload.limit ?? settings[reloadLimit]
            }
        },
    ]
}

extension Settings {
    /// For every kind that says nothing else.
    var reload: WidgetKind.Reload {
        var reload = WidgetKind.Reload()
        reload.limit = self[Keys.reloadLimit]
        // Who chose a limit alone has not chosen a burst above it.
        if source(of: Keys.reloadBurst.name) != .default { reload.burst = self[Keys.reloadBurst] }
        reload.coalesce = ElapsedTime(milliseconds: Int64(self[Keys.reloadCoalesce].milliseconds))
        reload.scheduled = self[Keys.reloadScheduled]
        return reload
    }

    func terms(of kind: String) -> ReloadTerms { ReloadTerms(self[Keys.kinds][kind]?.reload, otherwise: reload) }
}
