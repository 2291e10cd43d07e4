import Messages
import Settings
import Timelines

/// The declarations of widget kinds (M6), and how often recipients are told to reload a kind that says nothing else
/// (L1 to L9).
extension Keys {
    static let kinds = SettingKey(
        "kinds", .kinds, default: WidgetKinds(),
        "Widget kinds by name, each with displayName, description, supportedFamilies, strategy, parameters and reload.")
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

    static let kindKeys: [any SettingDeclaration] = [kinds, reloadLimit, reloadBurst, reloadCoalesce, reloadScheduled]

    static let kindRules = [
        SettingsRule("a burst is at most the limit", keys: [reloadBurst.name, reloadLimit.name]) { settings in
            !settings.hasOwnBurst || settings[reloadBurst] <= settings[reloadLimit]
        },
        SettingsRule("a kind's reload.burst is at most its limit", keys: [kinds.name, reloadLimit.name]) { settings in
            settings[kinds].all.allSatisfy { kind in
                (kind.reload.burst ?? 1) <= kind.reload.limit ?? settings[reloadLimit]
            }
        },
    ]
}

extension Settings {
    /// The terms of reloads of every kind that says nothing else.
    var reload: WidgetKind.Reload {
        var reload = WidgetKind.Reload()
        reload.limit = self[Keys.reloadLimit]
        if hasOwnBurst { reload.burst = self[Keys.reloadBurst] }
        reload.coalesce = ElapsedTime(self[Keys.reloadCoalesce])
        reload.scheduled = self[Keys.reloadScheduled]
        return reload
    }

    /// True if somebody set `reload.burst`. Its default does not bind a limit that is set below it.
    fileprivate var hasOwnBurst: Bool { source(of: Keys.reloadBurst.name) != .default }

    /// The terms of a kind's reloads, which the kind's declaration and the settings for every kind make together.
    func terms(of kind: String) -> ReloadTerms { ReloadTerms(self[Keys.kinds][kind]?.reload, otherwise: reload) }
}

extension SettingType<WidgetKinds> {
    /// Declarations of widget kinds, read and checked by rule M6.
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
