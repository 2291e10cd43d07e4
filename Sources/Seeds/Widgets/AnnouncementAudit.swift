import Messages
import RecordLog
import Timelines

/// What recipients show, by the committed timelines and reloads alone, and whether the last visible change was
/// announced to them (L1, L2, L6 and L7).
///
/// A recipient comes back by itself when what it shows asks for it, and when a reload names it. What it loads then is
/// one of a few timelines: outside it is not known which of them the reload speaks of when it names several, or when
/// another timeline was under way. If the newest timeline is a visible change to each of them, a reload is owed, and
/// nothing but an empty bucket may hold it back.
struct AnnouncementAudit {
    private let terms: ReloadTerms
    /// By configuration, in the order in which a reader sees it.
    private var said: [String: [Saying]] = [:]
    private var isLastRun = false

    /// What one record says of a configuration.
    fileprivate enum Saying {
        case timeline(Publication)
        case tombstone
        case reload(ReloadNotification, written: Instant)
    }

    /// A timeline, as far as others are compared with it.
    fileprivate struct Publication: Hashable {
        var address: Address
        var revision: Revision
        var at: Instant
        var digest: ContentDigest
        /// When the record was written, on the brokers' clock.
        var written: Instant
        var sources: [SourceOffset]
        var isOfLastRun: Bool

        /// True if whoever shows it has come back by then.
        func isDue(at instant: Instant) -> Bool { digest.nextUpdate.map { $0 <= instant } ?? false }
    }

    fileprivate struct Address: Hashable {
        var recipient: String
        var kind: String
    }

    /// What is known of one configuration at its recipient.
    fileprivate struct Display {
        var address: Address
        var published: [Publication]
        /// What the recipient may show; empty before it was told of anything.
        var shown: [Publication] = []
        /// The number of the first publication that was not there when it was told last.
        var toldCount = 0
    }

    init(_ reload: WidgetKind.Reload) {
        terms = ReloadTerms(otherwise: reload)
    }

    mutating func take(_ record: TimelineRecord, _ digest: ContentDigest, of id: String, written at: Instant) {
        let publication = Publication(
            address: Address(recipient: record.recipient, kind: record.kind), revision: record.revision,
            at: record.generatedAt, digest: digest, written: at, sources: record.sources, isOfLastRun: isLastRun)
        said[id, default: []].append(.timeline(publication))
    }

    /// What comes from here on is of a run that brings timelines up to an instant.
    mutating func beginLastRun() { isLastRun = true }

    mutating func takeTombstone(of id: String) { said[id, default: []].append(.tombstone) }

    mutating func take(_ reload: ReloadNotification, written at: Instant) {
        for id in reload.configurationIds { said[id, default: []].append(.reload(reload, written: at)) }
    }

    // MARK: - Judging

    /// How wrong clocks were that jumped.
    struct WrongClocks {
        /// Since then all are right: buckets are known to have been refilled since.
        var rightSince: Instant
        /// The latest instant that any of them may have shown.
        var furthest: Instant
    }

    /// - Parameters:
    ///   - ids: the configurations that have a timeline.
    ///   - wrong: `nil` if all clocks were right, but for some seconds.
    func judge(_ ids: [String], at now: Instant, _ wrong: WrongClocks?) -> [Symptom] {
        ids.compactMap { id in
            guard let display = display(of: id, areRight: wrong == nil), let newest = display.published.last
            else { return nil }
            let address = "\(display.address.kind) of \(display.address.recipient)"
            if display.shown.isEmpty { return Symptom(.stale, "\(id) was never announced to \(address)") }
            let at = max(now, newest.at)
            // A task whose clock was ahead may have thought that the recipient had come back by itself.
            let late = wrong.map { max(at, $0.furthest + .minutes(1)) } ?? at
            let isOwed = display.shown.allSatisfy { shown in
                !shown.isDue(at: late) && shown.digest.isVisibleChange(to: newest.digest, at: at)
            }
            guard isOwed, hasToken(id, display.address, at: now, wrong?.rightSince) else { return nil }
            let shown = display.shown.map { "\($0.revision)" }.joined(separator: " or ")
            return Symptom(
                .stale, "\(id) has revision \(newest.revision), \(address) shows \(shown), and a token is there")
        }
    }

    private func display(of id: String, areRight: Bool) -> Display? {
        var display: Display?
        var reloads: [(reload: ReloadNotification, written: Instant)] = []
        for saying in said[id, default: []] {
            switch saying {
            case .tombstone: display = nil
            case .timeline(let publication):
                if display?.address != publication.address {
                    display = Display(address: publication.address, published: [])
                }
                display?.publish(publication)
                // A transaction of others may have hidden it for longer than the reload that names it.
                if reloads.contains(where: { publication.isMeant(by: $0.reload, written: $0.written, areRight) }) {
                    display?.shown.append(publication)
                }
            case .reload(let reload, let written):
                reloads.append((reload, written))
                display?.load(reload)
            }
        }
        return display
    }

    /// True if the bucket has a token for certain: whatever a reload may have cost, it has.
    private func hasToken(_ id: String, _ address: Address, at now: Instant, _ rightSince: Instant?) -> Bool {
        let paid: [Instant] = said[id, default: []].compactMap { saying in
            guard case .reload(let reload, _) = saying, reload.recipient == address.recipient,
                reload.kind == address.kind
            else { return nil }
            // A reload that names several has the strongest of their reasons, and others of them may have paid.
            let isFree = reload.reason == .requested || reload.reason == .configurationChanged
            return isFree && reload.configurationIds.count == 1 ? nil : reload.issuedAt
        }
        // Clocks that differ by some seconds may add up to a part of a token.
        let since = rightSince.map { $0 + .minutes(1) }
        var bucket = TokenBucket(terms, at: since ?? paid.first ?? now)
        for instant in paid {
            // One that was issued in times to come was issued before clocks were right.
            let at = since.map { instant > now ? $0 : max($0, instant) } ?? instant
            if !bucket.take(terms, at: at) { bucket = TokenBucket(level: 0, asOf: max(bucket.asOf, at)) }
        }
        return bucket.remaining(terms, at: now - .minutes(1)) > 0
    }
}

extension AnnouncementAudit.Display {
    /// The recipient comes back when what it shows asks for it: for what was published before, or for this.
    fileprivate mutating func publish(_ new: AnnouncementAudit.Publication) {
        if let previous = published.last {
            // What is brought up, of the same records, is of time alone: a display goes on to it by itself.
            if new.isOfLastRun && new.sources == previous.sources {
                shown = shown.map { $0.digest.isVisibleChange(to: previous.digest, at: new.at) ? $0 : new }
            }
            let next = shown.map { shown in
                guard shown.isDue(at: new.at) else { return shown }
                let cameBefore = !shown.isDueJust(at: new.at) && !previous.isDue(at: new.at)
                return cameBefore ? previous : new
            }
            shown = next.withoutRepetition
        }
        published.append(new)
    }

    /// The recipient loads what is there, or what the reload speaks of; what it has loaded by itself is no older.
    fileprivate mutating func load(_ reload: ReloadNotification) {
        guard reload.recipient == address.recipient, reload.kind == address.kind, let newest = published.last else {
            return
        }
        let isAlone = reload.configurationIds.count == 1
        let meant = published.enumerated().filter { index, publication in
            isAlone
                ? publication.revision == reload.revision
                : publication.revision <= reload.revision && index >= toldCount
        }
        let now = max(reload.issuedAt, newest.at)
        let later = shown.filter { $0.revision >= reload.revision }
        let loaded = meant.map { $0.element.isDue(at: now) ? newest : $0.element }
        shown = (later + loaded + [newest]).withoutRepetition
        toldCount = published.count
    }
}

extension AnnouncementAudit.Publication {
    /// True if a reload that was read before may speak of it.
    ///
    /// - Parameter areRight: all clocks were right, but for some seconds.
    fileprivate func isMeant(by reload: ReloadNotification, written: Instant, _ areRight: Bool) -> Bool {
        guard reload.recipient == address.recipient, reload.kind == address.kind else { return false }
        if reload.configurationIds.count == 1 { return revision == reload.revision }
        if areRight && at > reload.issuedAt + .seconds(5) { return false }
        return revision <= reload.revision && self.written < written + .minutes(1)
    }

    fileprivate func isDueJust(at instant: Instant) -> Bool { digest.nextUpdate == instant }
}

extension [AnnouncementAudit.Publication] {
    fileprivate var withoutRepetition: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
