import Messages
import Pipeline
import RecordLog
import Timelines

/// The plans for machines: one JSON object each.
extension ResetPlan {
    /// - Parameter outcome: `planned`, `done`, or `unchanged` where there is nothing to do.
    func json(_ outcome: String) -> String {
        JSONWriter.object { json in
            json.string("application", application)
            json.string("outcome", outcome)
            json.key("members")
            json.beginArray()
            for member in group { json.string(member) }
            json.endArray()
            json.integer("committedPartitions", committed)
            json.bool("isInterrupted", isInterrupted)
            json.integer("tasks", Int(partitions))
            json.key("internalTopics")
            json.beginArray()
            for topic in internals {
                json.beginObject()
                json.string("topic", topic.name)
                json.integer("partitions", Int(topic.partitions))
                json.integer("records", Int(topic.records))
                json.endObject()
            }
            json.endArray()
            json.key("kept")
            json.beginArray()
            for setting in kept { json.string(setting) }
            json.endArray()
            json.key("inputs")
            json.beginArray()
            for input in inputs {
                json.beginObject()
                json.string("topic", input.topic)
                json.integer("records", Int(input.records))
                json.string("from", input.isMoved ? "\(place)" : "EARLIEST")
                json.endObject()
            }
            json.endArray()
            json.integer("revisions", revisions.count)
            json.integer("highestRevision", revisions.highest.rawValue)
            json.integer("unreadable", revisions.unreadable)
            json.integer("timelinesAnnounced", configurations)
            json.integer("recipients", recipients)
        }
    }
}

extension SinkResetPlan {
    /// - Parameter outcome: `planned`, `done`, or `unchanged` where there is nothing to do.
    func json(_ outcome: String) -> String {
        JSONWriter.object { json in
            json.string("topic", topic)
            json.string("outcome", outcome)
            json.key("sinks")
            json.beginArray()
            for name in names { json.string(name) }
            json.endArray()
            json.integer("positions", positions)
            json.integer("reloads", Int(reloads))
        }
    }
}
