extension WidgetConfiguration {
    /// What is allowed, but probably not meant so, for timelines from `at` on; sentences that begin with the key.
    package func warnings(at: Instant) -> [String] {
        strategy.warnings(at: at).map { "strategy.\($0)" }
    }
}
