import HTTPServer
package import Messages
package import RecordLog
import Timelines

/// A change of the views that somebody may wait for or follow.
package enum ViewChange: Sendable {
    /// A timeline is in force, in the place of another one of the same configuration.
    case timeline(StoredTimeline, before: StoredTimeline?)
    case timelineDeleted(DeletedTimeline)
    case reload(StoredReload)
    case configuration(id: String)
    /// Merged positions; without a value they are gone.
    case positions(ReaderKey, StoredValue?)
    case devicePositions(PositionKey)
}

extension TopicViews {
    /// Takes a committed record in. One thread alone calls this.
    ///
    /// - Parameter now: the time of day.
    /// - Returns: the change; `nil` if nothing changed.
    /// - Throws: if key or value cannot be read. What was in force stays so; the position moves on in any case.
    package func apply(_ record: RecordView, of topic: ViewedTopic, now: Instant) throws(MessageProblem) -> ViewChange?
    {
        let place = ViewPlace(record.partition, record.offset)
        defer {
            withState { state in
                state.next.set(topic, place.partition, place.offset.next)
                state.counts.records += 1
            }
        }
        do throws(MessageProblem) {
            switch topic {
            case .timelines: return try applyTimeline(record, place)
            case .reloads: return try applyReload(record, place, now)
            case .configurations: return try applyConfiguration(record, place)
            case .positions: return try applyDevicePosition(record, place)
            case .merged: return try applyPositions(record, place)
            }
        } catch {
            withState { $0.counts.unreadable += 1 }
            throw error
        }
    }

    private func applyTimeline(_ record: RecordView, _ place: ViewPlace) throws(MessageProblem) -> ViewChange? {
        let id = try Self.text(record.key)
        guard let bytes = record.value else {
            let gone = withState { state in
                defer { state.timelines.compactIfNeeded() }
                return state.timelines.remove(id, at: place)
            }
            return gone.map { .timelineDeleted($0) }
        }
        // Only this thread writes, so that what takes time can be done without the lock.
        let timeline = try StoredTimeline(bytes, at: place) { text in withState { $0.timelines.shared(text) } }
        guard timeline.configurationId.isSameByUTF8(as: id) else {
            throw MessageProblem(.notAllowed, field: "configurationId", "must be the record's key")
        }
        let before = self.timeline(id)
        let kept = before.map { timeline.following($0) } ?? timeline
        withState { state in
            state.timelines.put(kept)
            state.timelines.compactIfNeeded()
        }
        return .timeline(kept, before: before)
    }

    private func applyReload(
        _ record: RecordView, _ place: ViewPlace, _ now: Instant
    ) throws(MessageProblem) -> ViewChange? {
        guard let bytes = record.value else { return nil }
        let reload = try StoredReload(bytes, at: place, timestamp: record.timestamp)
        withState { $0.reloads.append(reload, now: now) }
        return .reload(reload)
    }

    private func applyConfiguration(_ record: RecordView, _ place: ViewPlace) throws(MessageProblem) -> ViewChange? {
        guard let bytes = record.value else {
            let id = try Self.text(record.key)
            withState { $0.configurations.remove(id) }
            return .configuration(id: id)
        }
        let value = try StoredValue(bytes, at: place, timestamp: record.timestamp)
        // A value is filed under the id that it names, as the pipeline does.
        let id = try value.bytes.withBytes { (bytes) throws(MessageProblem) in
            let json = JSONText(valid: bytes)
            return try RawFields(json, json.whole).text("configurationId")
        }
        withState { state in
            let configuration = StoredConfiguration(id, value) { state.timelines.shared($0) }
            state.configurations.put(configuration)
        }
        return .configuration(id: id)
    }

    private func applyDevicePosition(_ record: RecordView, _ place: ViewPlace) throws(MessageProblem) -> ViewChange? {
        let key = try PositionKey.decode(record.key)
        let value = try record.value.map { (bytes) throws(MessageProblem) in
            try StoredValue(bytes, at: place, timestamp: record.timestamp)
        }
        withState { $0.positions.putDevice(key, value) }
        return .devicePositions(key)
    }

    private func applyPositions(_ record: RecordView, _ place: ViewPlace) throws(MessageProblem) -> ViewChange? {
        let key = try ReaderKey.decode(record.key)
        let value = try record.value.map { (bytes) throws(MessageProblem) in
            try StoredValue(bytes, at: place, timestamp: record.timestamp)
        }
        withState { state in
            state.positions.putMerged(key, value, at: place)
            state.positions.compactIfNeeded()
        }
        return .positions(key, value)
    }

    private static func text(_ key: UnsafeRawBufferPointer?) throws(MessageProblem) -> String {
        guard let key, key.count > 0, let text = String(validating: key, as: UTF8.self) else {
            throw MessageProblem(.missing, field: "key", "is missing, or no UTF-8 text")
        }
        return text
    }

    // MARK: - The reading

    /// A partition is read from this offset on.
    func begin(_ topic: ViewedTopic, _ partition: Partition, at offset: Offset) {
        withState { state in
            state.next.set(topic, partition, offset)
            if topic == .reloads { state.reloads.begin(partition, at: offset) }
        }
    }

    /// A partition was read to this end: the position moves over what is no record, such as a transaction's marker.
    func reachedEnd(of topic: ViewedTopic, _ partition: Partition, at offset: Offset, now: Instant) {
        withState { state in
            if topic == .reloads { state.reloads.reachedEnd(partition, at: offset, now: now) }
            let known = state.next[topic]
            guard Int(partition) >= known.count || known[Int(partition)] < offset else { return }
            state.next.set(topic, partition, offset)
        }
    }

    /// The broker forgets deletions that are older than a day: before this place some may be missing.
    func forgetDeletions(of topic: ViewedTopic, before place: ViewPlace) {
        withState { state in
            switch topic {
            case .timelines: state.timelines.forgetDeletions(before: place)
            case .merged: state.positions.forgetDeletions(before: place)
            case .reloads, .configurations, .positions: break
            }
        }
    }

    /// Forgets a topic, which was made anew under its name.
    func forget(_ topic: ViewedTopic, _ settings: GatewaySettings) {
        withState { state in
            switch topic {
            case .timelines: state.timelines = TimelineTable()
            case .configurations: state.configurations = ConfigurationTable()
            case .positions: state.positions.forgetDevices()
            case .merged: state.positions.forgetMerged()
            case .reloads:
                state.reloads = ReloadWindow(maximum: settings.reloadsMaximum, age: settings.reloadsAge)
            }
            state.next[topic] = []
            state.counts.recreated += 1
        }
    }

    /// Drops what devices told of positions before an instant.
    func forgetDevices(before instant: Instant) {
        withState { $0.positions.forgetDevices(before: instant) }
    }

    func markReady() {
        withState { $0.isReady = true }
    }
}
