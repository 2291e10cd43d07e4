import RecordLog

extension ReloadLedger {
    /// What the topic holds of this sink.
    struct Kept {
        var owner = ""
        var number: Int64 = 0
        var positions: [Partition: Offset] = [:]
        var others: [String: [UInt8]] = [:]
    }

    /// Reads the topic to the end that it has now. Waits for as long as an outage lasts.
    ///
    /// - Parameter end: `readUncommitted` waits for open transactions, which after `initialise` are those of others;
    ///   `readCommitted` ends before the first.
    /// - Returns: nil where it was stopped first.
    func read(to end: IsolationLevel = .readUncommitted) throws(ReloadSinkError) -> Kept? {
        while true {
            do throws(LogError) {
                return try readOnce(to: end)
            } catch {
                guard error.isRetriable else { throw .log(error) }
                if shouldStop() { return nil }
                notice(.log(error))
            }
        }
    }

    private func readOnce(to end: IsolationLevel) throws(LogError) -> Kept? {
        let reader = try TopicReader(
            settings.ledgerTopic, cluster: cluster, admin: admin, clientId: settings.clientId, requests: requests)
        defer { reader.close() }
        try reader.start()
        let ends = try requests.persistently { (_) throws(LogError) in try reader.ends(end) }
        var entries: [String: [UInt8]] = [:]
        while !reader.hasReached(ends) {
            if shouldStop() { return nil }
            let records = try reader.poll(
                maximum: settings.batchMaximum, timeout: settings.pollTimeout, failed: { notice(.log($0)) })
            for record in records {
                guard let key = record.key else { continue }
                entries[String(decoding: key, as: UTF8.self)] = record.value
            }
        }
        return kept(entries)
    }

    private func kept(_ entries: [String: [UInt8]]) -> Kept {
        var kept = Kept()
        for (key, value) in entries {
            let parts = key.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
            guard parts.count >= 2, parts[1] == settings.name else { continue }
            let text = String(decoding: value, as: UTF8.self)
            switch parts[0] {
            case "commit":
                let words = text.split(separator: " ")
                guard words.count == 2, let number = Int64(words[0]) else { continue }
                kept.number = number
                kept.owner = String(words[1])
            case "position":
                let place = parts.last?.split(separator: "/") ?? []
                guard place.count == 2, place[0] == settings.reloadsTopic, let partition = Int32(place[1]),
                    let next = Int64(text), next >= 0
                else { continue }
                kept.positions[Partition(partition)] = Offset(next)
            default:
                kept.others["\(parts[0])/\(parts.count == 3 ? parts[2] : "")"] = value
            }
        }
        return kept
    }
}
