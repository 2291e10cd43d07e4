/// What is declared of a widget kind (DESIGN.md section 3, kinds): WidgetKit's display name, description, supported
/// families, and the parameters that its users may choose.
///
/// A kind that is not declared has no rules: any family, any parameters.
package struct WidgetKind: Hashable, Sendable {
    package var kind: String
    package var displayName: String?
    package var description: String?
    /// Nil: every family. In the order declared.
    package var supportedFamilies: [WidgetFamily]?
    /// The strategy of configurations that name none: a name, or an object `{name, …options}`.
    package var strategy: ParameterValue?
    /// Ascending by key (UTF-8 bytes).
    package var parameters: [Parameter]

    package init(kind: String) {
        self.kind = kind
        self.parameters = []
    }

    /// A parameter that a user of the widget may set.
    package struct Parameter: Hashable, Sendable {
        package var key: String
        package var title: String
        package var type: ParameterType
        /// Nil: a configuration must have one.
        package var defaultValue: ParameterValue?

        package init(key: String, title: String, type: ParameterType, defaultValue: ParameterValue? = nil) {
            self.key = key
            self.title = title
            self.type = type
            self.defaultValue = defaultValue
        }
    }

    package enum ParameterType: String, CaseIterable, Sendable {
        case string, number, boolean, array
    }
}
