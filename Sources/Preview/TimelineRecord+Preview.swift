package import Messages
package import Timelines

extension TimelineRecord {
    /// The record of a timeline that would be made: made from no record of a topic, so `sources` is empty.
    /// Nobody was told anything yet, so its budget is untouched.
    package init(
        _ step: TimelineWalk.Step, of configuration: WidgetConfiguration, terms: ReloadTerms = ReloadTerms()
    ) {
        self.init(
            configurationId: configuration.configurationId, kind: configuration.kind, family: configuration.family,
            recipient: configuration.recipient, revision: step.revision, generatedAt: step.at,
            timeline: step.timeline, refreshCount: step.refreshCount,
            budget: TokenBucket(terms, at: step.at).budget(terms, at: step.at))
    }
}
