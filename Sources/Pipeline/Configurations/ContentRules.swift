package import Timelines

/// The rules by which a usable configuration's content is made, with the number that tells one release's rules from
/// another's.
///
/// State keeps the number beside the digest of what was published. Where it is another one, what was published is made
/// once more by the rules of now before it is compared, so that nobody is told of what differs by the rules alone.
package struct ContentRules: Sendable {
    /// `TimelineProvider.contentRules`; 0 of releases that wrote none.
    package var version: Int
    package var timeline: @Sendable (TimelineRequest) -> Timeline

    package init(version: Int, timeline: @escaping @Sendable (TimelineRequest) -> Timeline) {
        self.version = version
        self.timeline = timeline
    }

    package static let current = ContentRules(version: TimelineProvider.contentRules) {
        TimelineProvider.timeline(for: $0)
    }
}
