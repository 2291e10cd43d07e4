internal import Messages
package import RecordLog
internal import Timelines

/// The recipients that configurations name or that reloads went to, each with its newest reload that the topic holds.
package struct RecipientList: ~Copyable {
    package static let fields = [
        "recipient", "configurations", "kinds", "push", "reloads", "lastReload", "reason", "budget", "topic",
        "partition", "offset",
    ]

    private struct Entry {
        var configurations = 0
        var kinds: Set<String> = []
        var hasPush = false
        var reloads = 0
        var newest: (reload: ReloadNotification, place: SourceOffset)?
    }

    package private(set) var unread = UnreadRecords()
    private var entries = TextDictionary<Entry>()
    private var parser = JSONParser()

    package init() {}

    /// Takes a record of the topic of reloads. One that cannot be read is passed over and counted.
    package mutating func apply(_ view: RecordView, of topic: String) {
        guard let value = view.value else { return }
        do throws(MessageProblem) {
            add(try ReloadNotification.decode(value, with: &parser), at: SourceOffset(topic, view))
        } catch {
            unread.add(view, of: topic, error)
        }
    }

    private mutating func add(_ reload: ReloadNotification, at place: SourceOffset) {
        var entry = entries[reload.recipient] ?? Entry()
        entry.reloads += 1
        if let newest = entry.newest, newest.reload.issuedAt > reload.issuedAt {
            // A later one came before, of another partition.
        } else {
            entry.newest = (reload, place)
        }
        entries[reload.recipient] = entry
    }

    /// Counts the configurations of each recipient.
    package mutating func count(_ list: borrowing ConfigurationList) {
        list.forEach { message, hasPush in
            var entry = entries[message.recipient] ?? Entry()
            entry.configurations += 1
            if !message.kind.isEmpty { entry.kinds.insert(message.kind) }
            if hasPush { entry.hasPush = true }
            entries[message.recipient] = entry
        }
    }

    /// The recipients, ascending by id.
    package func rows() -> [InspectedRow] {
        entries.sorted.map { recipient, entry in
            var row = InspectedRow()
            row.add("recipient", recipient)
            row.add("configurations", entry.configurations)
            row.add("kinds", entry.kinds.sorted { $0.precedesByUTF8($1) })
            row.add("push", .bool(entry.hasPush))
            row.add("reloads", entry.reloads)
            if let (reload, place) = entry.newest {
                row.add("lastReload", reload.issuedAt)
                row.add("reason", reload.reason.rawValue)
                row.add("budget", reload.budget.remaining)
                row.add(place)
            }
            return row
        }
    }
}
