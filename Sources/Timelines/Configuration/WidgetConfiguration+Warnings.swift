extension WidgetConfiguration {
    /// What is allowed, but probably not meant so, for timelines from `at` on; sentences that begin with the key.
    package func warnings(at: Instant) -> [String] {
        let warnings = (strategy as? any ConfigurableStrategy)?.warnings(at: at) ?? []
        return warnings.map { "strategy.\($0)" }
    }
}
