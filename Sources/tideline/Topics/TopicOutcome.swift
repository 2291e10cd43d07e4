import Diagnosis
import Messages
import RecordLog

/// What became of a topic: a line for people, a JSON object for machines.
struct TopicOutcome {
    var topic: String
    /// What it was made with; `nil` if it was there.
    var createdWith: String?
    /// What differs from what it would be made with.
    var differences: [String] = []

    var line: String {
        if let createdWith { return "\(topic): created with \(createdWith)" }
        if differences.isEmpty { return "\(topic): exists" }
        return "\(topic): exists, differs: \(differences.joined(separator: ", "))"
    }

    var json: String {
        JSONWriter.object { json in
            json.string("topic", topic)
            json.string("outcome", createdWith == nil ? "exists" : "created")
            if differences.isEmpty { return }
            json.key("differences")
            json.beginArray()
            for difference in differences { json.string(difference) }
            json.endArray()
        }
    }
}

extension TopicFacts.Difference {
    /// What brokers remove once it is set; `nil` if that is nothing.
    var consequence: String? {
        switch (key, wanted) {
        case ("cleanup.policy", "compact"):
            "brokers will remove every record that a newer one of its key has replaced, and refuse those without a key"
        case ("cleanup.policy", "delete"):
            "brokers will remove every record that is older than retention.ms, also the newest one of its key"
        default: nil
        }
    }

    /// - Parameter outcome: `differs` before it is set, `changed` afterwards.
    func json(of topic: String, _ outcome: String) -> String {
        JSONWriter.object { json in
            json.string("topic", topic)
            json.string("outcome", outcome)
            json.string("setting", key)
            json.string("value", value)
            json.string("wanted", wanted)
            if let consequence { json.string("consequence", consequence) }
        }
    }
}
