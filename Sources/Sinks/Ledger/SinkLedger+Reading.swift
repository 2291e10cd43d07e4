import RecordLog
import Timelines

extension SinkLedger {
    /// The entries of this sink in the topic.
    struct Kept {
        var owner = ""
        var number: Int64 = 0
        var positions: [Partition: SinkPosition] = [:]
        var others = TextDictionary<[UInt8]>()
    }

    /// Reads the topic to the end that it has now. Waits for as long as an outage lasts.
    ///
    /// - Parameter end: `readUncommitted` waits for open transactions, which after `initialise` are those of others;
    ///   `readCommitted` ends before the first.
    /// - Returns: `nil` if it was stopped first.
    func read(to end: IsolationLevel = .readUncommitted) throws(LedgerError) -> Kept? {
        while true {
            do throws(LogError) {
                return try readOnce(to: end)
            } catch {
                guard error.isRetriable else { throw .log(error) }
                if context.shouldStop() { return nil }
                context.notice(.log(error))
            }
        }
    }

    private func readOnce(to end: IsolationLevel) throws(LogError) -> Kept? {
        let reader = try context.makeReader(of: settings.topic)
        defer { reader.close() }
        guard try reader.start() != nil,
            let ends = try context.requests.persistently({ (_) throws(LogError) in try reader.ends(end) })
        else { return nil }
        var entries = TextDictionary<[UInt8]>()
        let isRead = try reader.read(
            to: ends, maximum: context.reading.batchMaximum, timeout: context.reading.pollTimeout,
            failed: { context.notice(.log($0)) },
            each: { view, _ in
                guard let key = view.key else { return }
                entries[String(decoding: key, as: UTF8.self)] = view.value.map { Array($0) }
            })
        return isRead ? kept(entries) : nil
    }

    private func kept(_ entries: TextDictionary<[UInt8]>) -> Kept {
        var kept = Kept()
        var places: [Partition: LedgerPlace] = [:]
        var choices: [Partition: [Int64]] = [:]
        for (key, value) in entries.sorted {
            // By bytes: a name may begin with a mark that combines with the `/` before it.
            let parts = key.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 2, omittingEmptySubsequences: false)
                .map { String(Substring($0)) }
            guard parts.count >= 2 else { continue }
            let isCommit = parts[0] == "commit"
            guard parts[1] == (isCommit ? settings.owner : settings.name) else { continue }
            let text = String(decoding: value, as: UTF8.self)
            switch parts[0] {
            case "commit":
                let words = text.split(separator: " ")
                guard words.count == 2, let number = Int64(words[0]) else { continue }
                kept.number = number
                kept.owner = String(words[1])
            case "position":
                guard let partition = partition(parts), let next = Int64(text), next >= 0 else { continue }
                kept.positions[partition] = SinkPosition(next: Offset(next))
            case "place":
                guard let partition = partition(parts) else { continue }
                places[partition] = LedgerPlace(text)
            case "choice":
                guard let partition = partition(parts) else { continue }
                choices[partition] = text.split(separator: " ").compactMap { Int64($0) }
            default:
                kept.others["\(parts[0])/\(parts.count == 3 ? parts[2] : "")"] = value
            }
        }
        for (partition, place) in places {
            // One of another offset is older than the position, which a release moved that wrote no places.
            guard let next = kept.positions[partition]?.next, next == place.next else { continue }
            kept.positions[partition] = SinkPosition(next: next, cluster: place.cluster, before: place.before)
        }
        for (partition, words) in choices {
            // As with places.
            guard words.count == 2, kept.positions[partition]?.next == Offset(words[0]) else { continue }
            kept.positions[partition]?.choice = words[1]
        }
        return kept
    }

    /// The partition that a key of this topic names.
    private func partition(_ parts: [String]) -> Partition? {
        let place = parts.last?.split(separator: "/") ?? []
        guard place.count == 2, place[0] == settings.source else { return nil }
        return Int32(place[1]).map { Partition($0) }
    }
}
