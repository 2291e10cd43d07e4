import Settings
import Timelines

/// What holds for the reloads of every kind that says nothing else (STRATEGIES.md 4).
extension Keys {
    static let reloadLimit = SettingKey(
        "reload.limit", .integer(WidgetKind.Reload.limits), default: WidgetKind.Reload.defaultLimit,
        "Reloads of a configuration in any 24 hours; of a kind: kinds.KIND.reload.limit.")
    static let reloadBurst = SettingKey(
        "reload.burst", .integer(WidgetKind.Reload.limits), default: 10,
        "Reloads of a configuration at once, at most its limit; not set, at most half of it."
            + " Of a kind: kinds.KIND.reload.burst.")
    static let reloadCoalesce = SettingKey(
        "reload.coalesce", .duration(.zero ... .seconds(86_400)), default: .seconds(2),
        "Changes within so long of the first go out together; of a kind: kinds.KIND.reload.coalesce.")
    static let reloadScheduled = SettingKey(
        "reload.scheduled", .bool, default: false,
        "Whether renewals are announced, for a token each; of a kind: kinds.KIND.reload.scheduled.")

    static let burstRule = SettingsRule(
        "a burst is at most the limit", keys: [reloadBurst.name, reloadLimit.name]
    ) { $0.source(of: reloadBurst.name) == .default || $0[reloadBurst] <= $0[reloadLimit] }
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
