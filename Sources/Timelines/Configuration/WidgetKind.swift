/// What is declared of a widget kind (M6): WidgetKit's display name, description, supported
/// families, and the parameters that its users may choose.
///
/// A kind that is not declared has no rules: any family, any parameters.
package struct WidgetKind: Hashable, Sendable {
    package var kind: String
    package var displayName: String?
    package var description: String?
    /// Nil: every family. In the order declared, not empty.
    package var supportedFamilies: [WidgetFamily]?
    /// The strategy of configurations that name none: a name, or an object `{name, …options}`.
    package var strategy: ParameterValue?
    /// Ascending by key (UTF-8 bytes).
    package var parameters: [Parameter]
    package var reload: Reload

    package init(kind: String) {
        self.kind = kind
        self.parameters = []
        self.reload = Reload()
    }

    /// What people call it.
    package var title: String { displayName ?? kind }

    /// A parameter that a user of the widget may set.
    package struct Parameter: Hashable, Sendable {
        package var key: String
        package var title: String
        package var type: ParameterType
        /// What each element of an `array` is; of no meaning for other types.
        package var items: ItemType
        /// Nil: a configuration must have one. Never `null`.
        package var defaultValue: ParameterValue?

        package init(
            key: String, title: String, type: ParameterType, items: ItemType = .string,
            defaultValue: ParameterValue? = nil
        ) {
            self.key = key
            self.title = title
            self.type = type
            self.items = items
            self.defaultValue = defaultValue
        }
    }

    package enum ParameterType: String, CaseIterable, Sendable {
        case string, number, boolean, array
    }

    package enum ItemType: String, CaseIterable, Sendable {
        case string, number, boolean
    }

    /// How often its recipients are told to reload (L1 to L9); nil: as all kinds.
    package struct Reload: Hashable, Sendable {
        /// Reloads per configuration in 24 hours: `limits`.
        package var limit: Int?
        /// Reloads at once, from 1 to the limit.
        package var burst: Int?
        /// Changes within so long of the first go out together: 0 … 24 hours.
        package var coalesce: ElapsedTime?
        /// Whether renewals are announced, too.
        package var scheduled: Bool?

        package init() {}

        /// Where neither the kind nor the pipeline names a limit.
        package static let defaultLimit = 48
        /// What a limit, and a burst, may be: at most one a second.
        package static let limits = 1...86_400
    }
}

/// All declared kinds, each once.
package struct WidgetKinds: Hashable, Sendable {
    /// Ascending by kind (UTF-8 bytes).
    package let all: [WidgetKind]

    /// Of a kind that comes twice the last one counts.
    package init(_ kinds: some Sequence<WidgetKind> = []) {
        var all: [WidgetKind] = []
        for kind in kinds {
            all.removeAll { $0.kind.isSameByUTF8(as: kind.kind) }
            all.append(kind)
        }
        self.all = all.sorted { $0.kind.precedesByUTF8($1.kind) }
    }

    /// Nil: not declared.
    package subscript(kind: String) -> WidgetKind? { index(of: kind).map { all[$0] } }

    /// The place in `all`; nil: not declared.
    package func index(of kind: String) -> Int? { all.firstIndex { $0.kind.isSameByUTF8(as: kind) } }
}
