import Access
import RecordLog
import Timelines

/// The latest reloads, bounded by count and age. A value: `TopicViews` guards it.
///
/// Each reload has a number in the order in which this server read them: of a partition the order of its offsets.
struct ReloadWindow: Sendable {
    private var reloads: [StoredReload] = []
    /// The number of `reloads[0]`.
    private var firstNumber = 0
    /// So many of `reloads` have left; they are moved out once they are half of all.
    private var left = 0
    /// The numbers of each recipient's reloads, ascending.
    private var byRecipient: [TextKey: [Int]] = [:]
    /// What is known of each partition begins here.
    private(set) var horizons: [Partition: Horizon] = [:]
    /// The partitions of which no reload was read yet.
    private var unseen: Set<Partition> = []
    private let maximum: Int
    private let age: ElapsedTime

    /// The place from which on all reloads of a partition are known.
    struct Horizon: Hashable, Sendable {
        var offset: Offset
        /// Reloads that were produced at this instant or later are all known.
        var instant: Instant
    }

    init(maximum: Int, age: ElapsedTime) {
        self.maximum = maximum
        self.age = age
    }

    var count: Int { reloads.count - left }

    /// A partition is read from this offset on; what lay below is gone, or is not read.
    mutating func begin(_ partition: Partition, at offset: Offset) {
        // Until the first reload comes, any that is asked for by time may lie below.
        horizons[partition] = Horizon(offset: offset, instant: offset == 0 ? .distantPast : .distantFuture)
        unseen.insert(partition)
    }

    /// A partition was read to its end. If no reload was met, all that there were are gone.
    mutating func reachedEnd(_ partition: Partition, at offset: Offset, now: Instant) {
        guard unseen.remove(partition) != nil, let horizon = horizons[partition], offset > horizon.offset else {
            return
        }
        horizons[partition] = Horizon(offset: offset, instant: now)
    }

    /// Takes a reload in.
    ///
    /// - Parameter now: the time of day; what is too old leaves.
    mutating func append(_ reload: StoredReload, now: Instant) {
        let place = reload.place
        // The topic itself keeps reloads for some time only.
        if unseen.remove(place.partition) != nil, let horizon = horizons[place.partition],
            place.offset > horizon.offset || horizon.instant == .distantFuture
        {
            horizons[place.partition] = Horizon(offset: place.offset, instant: reload.timestamp)
        }
        byRecipient[TextKey(reload.recipient), default: []].append(firstNumber + reloads.count)
        reloads.append(reload)
        trim(now: now)
    }

    mutating func trim(now: Instant) {
        while count > 0, count > maximum || reloads[left].timestamp < now - age {
            drop(reloads[left], number: firstNumber + left)
            left += 1
        }
        guard left > 64, left > reloads.count / 2 else { return }
        reloads.removeFirst(left)
        firstNumber += left
        left = 0
    }

    private mutating func drop(_ reload: StoredReload, number: Int) {
        let key = TextKey(reload.recipient)
        if let first = byRecipient[key]?.first, first == number { byRecipient[key]?.removeFirst() }
        if byRecipient[key]?.isEmpty == true { byRecipient[key] = nil }
        let later = Instant(milliseconds: reload.timestamp.milliseconds + 1)
        let known = horizons[reload.place.partition]?.instant ?? .distantPast
        horizons[reload.place.partition] = Horizon(offset: reload.place.offset.next, instant: max(known, later))
    }

    // MARK: - Reading

    /// The start of a reading.
    enum Start: Hashable, Sendable {
        /// By partition the first offset; of others all that is known.
        case offsets([Partition: Offset])
        /// The reloads that were produced at this instant or later.
        case instant(Instant)
        /// All that is known.
        case earliest
    }

    struct Page {
        var reloads: [StoredReload] = []
        /// By partition the offset behind all that was looked at.
        var next: [Partition: Offset]
        var hasMore = false
        /// True if no reload between the start and the page is unknown.
        var isComplete = true
    }

    /// - Parameters:
    ///   - recipient: `nil` stands for all that the caller may see.
    ///   - positions: how far the topic was read.
    func page(
        from start: Start, recipient: String?, recipients: Confinement, positions: [Partition: Offset], limit: Int
    ) -> Page {
        var page = Page(next: positions)
        page.isComplete = isComplete(from: start, positions)
        let numbers: [Int]
        if let recipient {
            numbers = recipients.contains(recipient) ? byRecipient[TextKey(recipient)] ?? [] : []
        } else if case .only(let allowed) = recipients {
            numbers = allowed.flatMap { byRecipient[TextKey($0)] ?? [] }.sorted()
        } else {
            numbers = Array(firstNumber + left..<firstNumber + reloads.count)
        }
        let wanted = numbers.lazy.map { reloads[$0 - firstNumber] }.filter { isBehind(start, $0) }
        for reload in wanted {
            guard page.reloads.count < limit else {
                page.hasMore = true
                // The rest is read from the last one on. Of other partitions what was looked at is before it, too.
                page.next = offsets(of: start, positions)
                for taken in page.reloads { page.next[taken.place.partition] = taken.place.offset.next }
                return page
            }
            page.reloads.append(reload)
        }
        return page
    }

    private func isBehind(_ start: Start, _ reload: StoredReload) -> Bool {
        switch start {
        case .offsets(let offsets): reload.place.offset >= offsets[reload.place.partition] ?? Offset(0)
        case .instant(let instant): reload.timestamp >= instant
        case .earliest: true
        }
    }

    private func isComplete(from start: Start, _ positions: [Partition: Offset]) -> Bool {
        switch start {
        case .offsets(let offsets):
            horizons.allSatisfy { partition, horizon in offsets[partition] ?? Offset(0) >= horizon.offset }
                && offsets.allSatisfy { partition, offset in offset <= positions[partition] ?? offset }
        case .instant(let instant): horizons.allSatisfy { $0.value.instant <= instant }
        case .earliest: true
        }
    }

    private func offsets(of start: Start, _ positions: [Partition: Offset]) -> [Partition: Offset] {
        switch start {
        case .offsets(let offsets): return offsets
        case .earliest: return horizons.mapValues { $0.offset }
        case .instant(let instant):
            var offsets: [Partition: Offset] = [:]
            for reload in reloads[left...] where reload.timestamp >= instant {
                if offsets[reload.place.partition] == nil { offsets[reload.place.partition] = reload.place.offset }
            }
            return offsets.merging(positions) { first, _ in first }
        }
    }
}
