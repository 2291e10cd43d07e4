import Inspection
import Messages
import RecordLog
import Timelines

/// Follows the timelines and reloads of one configuration on their topics. Owned by one thread, which it blocks.
final class TimelineFollower {
    /// The newest timeline; `nil` before the first one and after a deletion.
    private(set) var shown: ShownTimeline?
    /// The end of the timelines, if that is the newest record.
    private(set) var tombstone: SourceOffset?
    /// The ids of all timelines that the topic holds.
    private(set) var ids: [String] = []
    private let id: String
    private let environment: Environment
    private let timelines: TopicReader
    private let reloads: TopicReader
    private var known: Set<[UInt8]> = []
    private var latest = LatestPlace()
    private var newestReload: ShownTimeline.PlacedReload?
    /// The reloads that could not be read before the ends were reached; `nil` behind them.
    private var unread: UnreadRecords? = UnreadRecords()
    /// By topic the failures that were said since its last record.
    private var told: [String: Set<LogError.Code>] = [:]
    private var parser = JSONParser()

    init(_ id: String, _ environment: Environment, _ admin: any Admin) throws(CommandFailure) {
        self.id = id
        self.environment = environment
        func reader(_ topic: String) throws(CommandFailure) -> TopicReader {
            do throws(LogError) {
                return try TopicReader(
                    topic, cluster: environment.cluster, admin: admin, clientId: "tideline-inspect",
                    requests: environment.requests)
            } catch {
                throw Self.unreadable(topic, error)
            }
        }
        timelines = try reader(environment.topics.timelines)
        reloads = try reader(environment.topics.reloads)
    }

    /// Gives the handles back; the program is about to end. One that may not be read goes with the program: librdkafka
    /// 2.0.2 waits for ever for the end of a reader whose topic was deleted.
    func close() {
        for reader in [timelines, reloads] {
            if told[reader.topic] == nil { reader.close() } else { _ = Unmanaged.passRetained(reader) }
        }
    }

    /// Reads both topics up to their present ends.
    func catchUp() throws(CommandFailure) {
        try catchUp(reloads) { view in apply(reload: view) }
        try catchUp(timelines) { view in apply(timeline: view) }
        if let unread { environment.warn(of: unread) }
        unread = nil
        ids = known.map { String(decoding: $0, as: UTF8.self) }.sorted { $0.precedesByUTF8($1) }
    }

    private func catchUp(_ reader: TopicReader, _ apply: (RecordView) -> Void) throws(CommandFailure) {
        let isRead: Bool? = try environment.readToEnd(reader.topic) { progress throws(LogError) in
            guard let start = try reader.start() else { return nil }
            return try environment.read(reader, to: start.ends, progress: progress) { view, _ in apply(view) }
                ? true : nil
        }
        if isRead == nil {
            throw CommandFailure(.unavailable, "told to end before all of \(reader.topic) was read")
        }
    }

    /// Takes what is new; waits for a moment if nothing is. An outage is said once and waited for.
    ///
    /// - Throws: with status 69 if the topics cannot be read until somebody changes something.
    func poll() throws(CommandFailure) {
        for (reader, apply) in [(reloads, apply(reload:)), (timelines, apply(timeline:))] {
            do throws(LogError) {
                var failures: [LogError] = []
                let count = try reader.poll(
                    maximum: 1_000, timeout: .milliseconds(100), failed: { failures.append($0) }
                ) { view, _ in apply(view) }
                if count > 0 { told[reader.topic] = nil }
                for failure in failures {
                    if failure.lasts { throw failure }
                    guard told[reader.topic, default: []].insert(failure.code).inserted else { continue }
                    writeError("warning: \(reader.topic) cannot be read now: \(failure); waiting for it")
                }
            } catch {
                throw Self.unreadable(reader.topic, error)
            }
        }
    }

    // MARK: - Records

    private func apply(timeline view: RecordView) {
        guard let key = view.key else { return }
        if ids.isEmpty { known.insert(Array(key)) }
        guard key.elementsEqual(id.utf8), latest.takes(view) else { return }
        let place = SourceOffset(timelines.topic, view)
        guard let value = view.value else {
            (shown, tombstone) = (nil, place)
            return
        }
        do throws(MessageProblem) {
            let record = try TimelineRecord.decode(value, with: &parser)
            (shown, tombstone) = (ShownTimeline(record, at: place, reload: newestReload), nil)
        } catch {
            writeError("warning: \(place.text) cannot be read as a timeline: \(error)")
        }
    }

    private func apply(reload view: RecordView) {
        guard let value = view.value else { return }
        let place = SourceOffset(reloads.topic, view)
        do throws(MessageProblem) {
            let reload = try ReloadNotification.decode(value, with: &parser)
            guard reload.configurationIds.contains(where: { $0.isSameByUTF8(as: id) }) else { return }
            newestReload = .init(reload, at: place)
            shown?.reload = newestReload
        } catch {
            if unread == nil { writeError("warning: \(place.text) cannot be read as a reload: \(error)") }
            unread?.add(view, of: reloads.topic, error)
        }
    }

    private static func unreadable(_ topic: String, _ error: LogError) -> CommandFailure {
        CommandFailure(.unavailable, "cannot read \(topic): \(error)")
    }
}
