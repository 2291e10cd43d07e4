import Foundation
import Settings
import StreamCore

/// The settings that decide what timelines and reloads hold. State records a digest of each (R18): all processes of an
/// application have the same ones, and a change of them is meant.
enum ContentSettings {
    /// By the numbers that state has, which are never used again for another setting.
    private static let keys: [(number: UInt8, key: any SettingDeclaration)] = [
        (1, Keys.kinds), (2, Keys.reloadLimit), (3, Keys.reloadBurst), (4, Keys.reloadCoalesce),
        (5, Keys.reloadScheduled), (6, Keys.pause), (7, Keys.telemetryFuture), (8, Keys.positionsEnabled),
        (9, Keys.positionsMaxHistorySize), (10, Keys.positionsMaxUnreadHistory), (11, Keys.positionsExpiry),
        (12, Keys.timelinesTopic), (13, Keys.reloadsTopic), (14, Keys.positionsMergedTopic), (15, Keys.topicPrefix),
    ]

    static let names = Dictionary(uniqueKeysWithValues: keys.map { ($0.number, $0.key.name) })

    static func recorded(_ settings: Settings) -> [RecordedSetting] {
        keys.map { number, key in
            RecordedSetting(number: number, value: text(settings.text(of: key.name) ?? "", isTree: key.isTree))
        }
    }

    /// The text of a tree has its keys in order, so that a file may have them in any.
    private static func text(_ text: String, isTree: Bool) -> String {
        guard isTree, let value = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed),
            let object = value as? [String: Any], !object.isEmpty,
            let sorted = try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
        else { return isTree ? "" : text }
        return String(decoding: sorted, as: UTF8.self)
    }
}
