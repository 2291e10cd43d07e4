import Settings
import Timelines

@testable import tideline

/// Kinds as a user declares them, in the text of a settings file.
enum DeclaredExample {
    static func kinds(_ yaml: String) throws -> WidgetKinds {
        if yaml.isEmpty { return WidgetKinds() }
        let sources = SettingsSources(file: .init(path: "tideline.yaml", text: yaml))
        return try Keys.schema.resolve(sources, suggest: { _, _ in nil }, checkFree: { _, _ in nil })[Keys.kinds]
    }
}
