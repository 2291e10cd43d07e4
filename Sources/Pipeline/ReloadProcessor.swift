import Messages
import RecordLog
import StreamCore
import Timelines

/// Reloads: gathers the visible changes of a transaction by recipient and kind, and tells each recipient once per kind.
final class ReloadProcessor: Processor {
    private let settings: PipelineSettings
    private let headers: CloudEventHeaders
    private var changes: [Change] = []
    private static let namedBytesMax = 256 << 10

    /// A configuration's visible change, on its way to its recipient's task.
    struct Change {
        var recipient: String
        var kind: String
        var configurationId: String
        var reason: ReloadNotification.Reason
        var revision: Int64
        var traceParent: [UInt8]?

        func encode(into writer: inout ByteWriter) {
            writer.write(kind)
            writer.write(configurationId)
            writer.write(reason.rawValue)
            writer.write(revision)
            writer.write(optional: traceParent) { $0.write($1) }
        }
    }

    init(_ settings: PipelineSettings) {
        self.settings = settings
        headers = CloudEventHeaders(source: settings.eventSource)
    }

    var stores: [any ChangelogStore] { [] }
    var nextDue: Int64? { nil }

    func process(_ record: InputRecord, _ context: TaskContext) {
        preconditionFailure("No source feeds the reloads.")
    }

    func receive(_ message: NodeMessage, _ context: TaskContext) {
        do throws(CorruptBytes) {
            changes.append(try Change(message))
        } catch {
            preconditionFailure("A change of this program cannot be read: \(error)")
        }
    }

    /// What is not told in this transaction is not committed either: the messages come again.
    func flush(_ context: TaskContext) {
        if changes.isEmpty { return }
        let sorted = changes.sorted { left, right in
            if left.recipient != right.recipient { return left.recipient.precedesByUTF8(right.recipient) }
            return left.kind.precedesByUTF8(right.kind)
        }
        changes.removeAll(keepingCapacity: true)
        var index = 0
        while index < sorted.count {
            let first = sorted[index]
            let group = sorted[index...].prefix { $0.recipient == first.recipient && $0.kind == first.kind }
            index += group.count
            for part in parts(of: group) { tell(part, context) }
        }
    }

    func punctuate(_ context: TaskContext) {}
    func bringUp(_ context: TaskContext) {}
    func finishRestore(_ context: TaskContext) {}
    func committed(_ context: TaskContext) {}
    func reverted(_ context: TaskContext) { changes.removeAll() }

    /// A recipient may have more configurations than one record can name.
    private func parts(of group: ArraySlice<Change>) -> [[Change]] {
        var parts: [[Change]] = [[]]
        var size = 0
        for change in group {
            size += change.configurationId.utf8.count + 8
            if size > Self.namedBytesMax {
                parts.append([])
                size = change.configurationId.utf8.count + 8
            }
            parts[parts.count - 1].append(change)
        }
        return parts
    }

    private func tell(_ group: [Change], _ context: TaskContext) {
        let notification = ReloadNotification(
            recipient: group[0].recipient, kind: group[0].kind, configurationIds: group.map(\.configurationId),
            reason: group.map(\.reason).max() ?? .dataChanged, revision: group.map(\.revision).max() ?? 0,
            issuedAt: context.instant)
        var json = JSONWriter()
        notification.write(to: &json)
        let headers = headers.reload(notification, traceParent: group.lazy.compactMap(\.traceParent).first)
        var recipient = notification.recipient
        recipient.withUTF8 { key in
            json.withUnsafeBytes { value in
                context.emit(
                    Output.reloads, key: UnsafeRawBufferPointer(key), value: value, headers: headers.map { Header($0) })
            }
        }
    }
}

extension ReloadProcessor.Change {
    fileprivate init(_ message: NodeMessage) throws(CorruptBytes) {
        var reader = ByteReader(message.payload)
        recipient = String(decoding: message.entity, as: UTF8.self)
        kind = try reader.string()
        configurationId = try reader.string()
        let name = try reader.string()
        guard let reason = ReloadNotification.Reason(rawValue: name) else {
            throw CorruptBytes("unknown reason \(name)")
        }
        self.reason = reason
        revision = try reader.int64()
        traceParent = try reader.bool() ? try reader.array() : nil
    }
}
