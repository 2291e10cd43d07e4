// Not compiled on Linux: see TidelineWidget.swift.

import Foundation
import TidelineClient
import WidgetKit

/// One state of the widget, shown from its date on.
///
/// WidgetKit's protocol `TimelineEntry` and the library's type have one name, so the module stands before the one and
/// `PublishedTimeline.Entry` for the other.
struct BoardEntry: WidgetKit.TimelineEntry {
    var date: Date
    /// The entry of the timeline; `nil` is a placeholder.
    var content: PublishedTimeline.Entry?
    /// True if the server did not answer, and the device's own copy is shown.
    var isOffline = false

    var relevance: TimelineEntryRelevance? {
        content?.relevance.map { relevance in
            TimelineEntryRelevance(score: Float(relevance.score), duration: TimeInterval(relevance.duration ?? 0))
        }
    }
}

/// Gives WidgetKit the entries of a timeline that the pipeline has made: their dates are the ones that count.
struct BoardProvider: WidgetKit.TimelineProvider {
    func placeholder(in context: Context) -> BoardEntry {
        BoardEntry(date: .now)
    }

    /// The gallery shows what the device has, without waiting for a server.
    func getSnapshot(in context: Context, completion: @escaping @Sendable (BoardEntry) -> Void) {
        Task {
            let now = Date.now
            guard let client = AppGroup.client(), let configurationId = AppGroup.configurationId,
                let loaded = await client.cachedTimeline(for: configurationId)
            else { return completion(BoardEntry(date: now)) }
            completion(BoardEntry(date: now, content: loaded.timeline.entry(at: Instant(now))))
        }
    }

    func getTimeline(in context: Context, completion: @escaping @Sendable (WidgetKit.Timeline<BoardEntry>) -> Void) {
        Task {
            completion(await Self.timeline(at: .now))
        }
    }

    /// The server's timeline, or that of the cache if it does not answer.
    private static func timeline(at now: Date) async -> WidgetKit.Timeline<BoardEntry> {
        // The user signs in in the app, which then reloads the widget.
        guard let client = AppGroup.client(), let configurationId = AppGroup.configurationId else {
            return WidgetKit.Timeline(entries: [BoardEntry(date: now)], policy: .never)
        }
        do {
            let loaded = try await client.timeline(for: configurationId)
            return timeline(of: loaded)
        } catch {
            // Nothing is known, and nobody answers: the system may ask again in a while.
            return WidgetKit.Timeline(entries: [BoardEntry(date: now)], policy: .after(now.addingTimeInterval(900)))
        }
    }

    private static func timeline(of loaded: LoadedTimeline) -> WidgetKit.Timeline<BoardEntry> {
        let isOffline = loaded.source != .server
        let entries = loaded.timeline.timeline.entries.map { entry in
            BoardEntry(date: Date(entry.date), content: entry, isOffline: isOffline)
        }
        return WidgetKit.Timeline(entries: entries, policy: policy(of: loaded, isOffline: isOffline))
    }

    private static func policy(of loaded: LoadedTimeline, isOffline: Bool) -> WidgetKit.TimelineReloadPolicy {
        // What is shown offline may be behind: the next try does not wait for the timeline's own date.
        if isOffline { return .after(Date.now.addingTimeInterval(900)) }
        switch loaded.timeline.timeline.policy {
        case .atEnd: return .atEnd
        case .after(let instant): return .after(Date(instant))
        case .never: return .never
        }
    }
}
