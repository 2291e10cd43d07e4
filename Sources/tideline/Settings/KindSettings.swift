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
