internal import Foundation
internal import Positions

/// The timelines that the device has: all of them on disk, the ones that were used last parsed in memory, too.
///
/// The disk decides, because another process may have loaded a newer one: an app and its widget share a folder.
actor TimelineCache {
    private let files: TimelineFiles
    private let queue = FileQueue("cache")
    private let clock: any ClientClock
    private let capacity: Int
    /// How many bytes of timelines stay in memory.
    private let memoryMax: Int
    private var memory: LRUCache<String, CachedTimeline>
    private(set) var memoryBytes = 0

    /// - Parameters:
    ///   - capacity: how many timelines are kept, on disk and in memory.
    ///   - memoryMax: how many bytes of them stay in memory.
    init(directory: URL, capacity: Int, memoryMax: Int, clock: any ClientClock) {
        files = TimelineFiles(directory: directory)
        self.clock = clock
        self.capacity = max(1, capacity)
        self.memoryMax = memoryMax
        memory = LRUCache(capacity: max(1, capacity))
    }

    /// The timeline of a configuration, which counts as used now; `nil` if there is none.
    func timeline(for configurationId: String) async throws(TidelineError) -> CachedTimeline? {
        let (files, now, held) = (files, clock.now, memory.peek(configurationId))
        let found = try await queue.run { () throws(TidelineError) -> CachedTimeline? in
            try files.touch(configurationId, now)
            return try files.read(configurationId, orSame: held)
        }
        hold(found, for: configurationId)
        return found
    }

    /// Keeps a timeline unless a newer one is there, and drops those that were used least recently if there are too
    /// many. Answers and events overtake each other: the one that comes last need not be the newest.
    func store(_ cached: CachedTimeline) async throws(TidelineError) {
        let (files, now, capacity) = (files, clock.now, capacity)
        let configurationId = cached.timeline.configurationId
        let held = memory.peek(configurationId)
        let kept = try await queue.run { () throws(TidelineError) -> CachedTimeline in
            if let found = try files.read(configurationId, orSame: held), found.isNewer(than: cached) { return found }
            if try files.write(cached, usedAt: now) { _ = try files.trim(to: capacity) }
            return cached
        }
        hold(kept, for: configurationId)
    }

    /// Forgets a timeline: its configuration is gone, or the caller may not see it any more.
    func remove(_ configurationId: String) async throws(TidelineError) {
        let files = files
        try await queue.run { () throws(TidelineError) in try files.remove(configurationId) }
        hold(nil, for: configurationId)
    }

    /// The timelines of a recipient, ascending by configurationId in UTF-8 order.
    func timelines(ofRecipient recipient: String) async throws(TidelineError) -> [CachedTimeline] {
        let files = files
        let all = try await queue.run { () throws(TidelineError) in try files.all() }
        return all.filter { $0.timeline.recipient == recipient }.sorted {
            $0.timeline.configurationId.utf8.lexicographicallyPrecedes($1.timeline.configurationId.utf8)
        }
    }

    /// Brings disk and memory within their bounds.
    ///
    /// - Returns: how many timelines were dropped from the disk.
    func trim() async throws(TidelineError) -> Int {
        memory.trim(to: 0)
        memoryBytes = 0
        let (files, capacity) = (files, capacity)
        return try await queue.run { () throws(TidelineError) in try files.trim(to: capacity) }
    }

    private func hold(_ cached: CachedTimeline?, for configurationId: String) {
        memoryBytes -= memory.removeValue(for: configurationId)?.body.count ?? 0
        guard let cached else { return }
        memoryBytes += cached.body.count
        if let dropped = memory.insert(cached, for: configurationId) { memoryBytes -= dropped.value.body.count }
        while memoryBytes > memoryMax, let oldest = memory.keys.first {
            memoryBytes -= memory.removeValue(for: oldest)?.body.count ?? 0
        }
    }
}
