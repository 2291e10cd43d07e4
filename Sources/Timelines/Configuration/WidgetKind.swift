/// What is declared of a widget kind (M6): WidgetKit's display name, description, supported
/// families, and the parameters that its users may choose.
///
/// A kind that is not declared has no rules: any family, any parameters.
package struct WidgetKind: Hashable, Sendable {
    package var kind: String
    package var displayName: String?
    package var description: String?
    /// The families that the kind supports, in the order declared, one or more; `nil` means every family.
    package var supportedFamilies: [WidgetFamily]?
    /// The strategy of configurations that name none: a name, or an object `{name, …options}`.
    package var strategy: ParameterValue?
    /// The declared parameters, ascending by key (UTF-8 bytes).
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
        /// The type of each element of an `array`; for other types it means nothing.
        package var items: ItemType
        /// The value for configurations that have none, never `null`; `nil` means that each must have one.
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

    /// How often the recipients of the kind are told to reload (L1 to L9). What is `nil` is as for all kinds.
    package struct Reload: Hashable, Sendable {
        /// Reloads per configuration in 24 hours, one of `limits`.
        package var limit: Int?
        /// Reloads at once, from 1 to the limit.
        package var burst: Int?
        /// How long a change waits for others to go out together with it: 0 to 24 hours.
        package var coalesce: ElapsedTime?
        /// True if renewals are announced, too.
        package var scheduled: Bool?

        package init() {}

        /// The limit if neither the kind nor the pipeline names one.
        package static let defaultLimit = 48
        /// The limits and bursts that are allowed: at most one reload a second.
        package static let limits = 1...86_400
    }
}

/// All declared kinds, each once.
package struct WidgetKinds: Hashable, Sendable {
    /// Ascending by kind (UTF-8 bytes).
    package let all: [WidgetKind]

    /// Takes the last one of each kind.
    package init(_ kinds: some Sequence<WidgetKind> = []) {
        var all: [WidgetKind] = []
        for kind in kinds {
            all.removeAll { $0.kind.isSameByUTF8(as: kind.kind) }
            all.append(kind)
        }
        self.all = all.sorted { $0.kind.precedesByUTF8($1.kind) }
    }

    /// The declaration of a kind; `nil` means that it is not declared.
    package subscript(kind: String) -> WidgetKind? { index(of: kind).map { all[$0] } }

    /// The place of a kind in `all`; `nil` means that it is not declared.
    package func index(of kind: String) -> Int? { all.firstIndex { $0.kind.isSameByUTF8(as: kind) } }
}
