import Access
import RecordLog
import Timelines

/// The configurations in force, by id. A value: `TopicViews` guards it.
struct ConfigurationTable: Sendable {
    private var configurations: [TextKey: StoredConfiguration] = [:]
    private var ids = SortedKeys()
    private var byRecipient: [TextKey: SortedKeys] = [:]

    var count: Int { configurations.count }

    subscript(id: String) -> StoredConfiguration? { configurations[TextKey(id)] }

    mutating func put(_ configuration: StoredConfiguration) {
        let key = TextKey(configuration.configurationId)
        let old = configurations.updateValue(configuration, forKey: key)
        if let old {
            if old.recipient.isSameByUTF8(as: configuration.recipient) { return }
            unlist(old)
        }
        ids.insert(key)
        byRecipient[TextKey(configuration.recipient), default: SortedKeys()].insert(key)
    }

    mutating func remove(_ id: String) {
        guard let old = configurations.removeValue(forKey: TextKey(id)) else { return }
        unlist(old)
    }

    private mutating func unlist(_ configuration: StoredConfiguration) {
        let key = TextKey(configuration.configurationId)
        ids.remove(key)
        let recipient = TextKey(configuration.recipient)
        byRecipient[recipient]?.remove(key)
        if byRecipient[recipient]?.isEmpty == true { byRecipient[recipient] = nil }
    }

    /// The configurations behind `after` in the order of their ids, and true beside them if there are more.
    func page(
        recipients: Confinement, after: String?, limit: Int
    ) -> (configurations: [StoredConfiguration], hasMore: Bool) {
        var keys: [TextKey] = []
        let start = after.map { TextKey($0) }
        func collect(_ sorted: SortedKeys) {
            var room = limit + 1
            sorted.forEach(after: start) { key in
                keys.append(key)
                room -= 1
                return room > 0
            }
        }
        if case .only(let allowed) = recipients {
            for recipient in allowed { byRecipient[TextKey(recipient)].map(collect) }
            keys.sort()
        } else {
            collect(ids)
        }
        return (keys.prefix(limit).compactMap { configurations[$0] }, keys.count > limit)
    }
}
