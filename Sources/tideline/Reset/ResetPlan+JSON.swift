import Messages
import Pipeline
import RecordLog
import Timelines

/// The plans for machines: one JSON object each. The outcome is `planned`, `done`, or `unchanged` where there is
/// nothing to do.
extension ResetPlan {
    func json(_ outcome: String) -> String {
        JSONWriter.object { json in
            json.string("application", application)
            json.string("outcome", outcome)
            json.array("members", group) { $0.string($1) }
            json.integer("committedPartitions", committed)
            json.bool("isInterrupted", isInterrupted)
            json.integer("tasks", Int(partitions))
            json.array("internalTopics", internals) { json, topic in
                json.beginObject()
                json.string("topic", topic.name)
                json.integer("partitions", Int(topic.partitions))
                json.integer("records", topic.records)
                json.integer("bytes", topic.bytes)
                json.endObject()
            }
            json.array("kept", kept) { $0.string($1) }
            json.array("inputs", inputs) { json, input in
                json.beginObject()
                json.string("topic", input.topic)
                json.string("from", input.isMoved ? "\(place)" : "EARLIEST")
                json.integer("records", input.records)
                json.integer("bytes", input.bytes)
                json.endObject()
            }
            json.integer("revisions", revisions.count)
            json.integer("highestRevision", revisions.highest.rawValue)
            json.integer("unreadable", revisions.unreadable)
            json.integer("timelinesAnnounced", configurations)
            json.integer("recipients", recipients)
        }
    }
}

extension SinkResetPlan {
    func json(_ outcome: String) -> String {
        JSONWriter.object { json in
            json.string("outcome", outcome)
            json.string("topic", topic)
            json.integer("positions", positions)
            json.integer("reloads", reloads)
            json.integer("timelines", timelines)
            json.array("sinks", names) { $0.string($1) }
            json.array("running", running) { $0.string($1.name) }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func array<Element>(
        _ name: StaticString, _ elements: [Element], write: (inout JSONWriter, Element) -> Void
    ) {
        key(name)
        beginArray()
        for element in elements { write(&self, element) }
        endArray()
    }
}
