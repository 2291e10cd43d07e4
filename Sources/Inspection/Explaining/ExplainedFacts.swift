package import Messages
package import RecordLog
package import Timelines

/// A value that was read from a record, with the place of the record.
package struct Placed<Value: Hashable & Sendable>: Hashable, Sendable {
    package var value: Value
    package var place: SourceOffset

    package init(_ value: Value, at place: SourceOffset) {
        self.value = value
        self.place = place
    }
}

/// All that an explanation may know: what committed records say, and nothing else.
package struct ExplainedFacts: Sendable {
    package var configurationId: String
    /// The instant that is asked about.
    package var at: Instant
    package var topics: TopicNames
    /// The budget and gathering of the configuration's kind.
    package var terms: ReloadTerms
    /// The newest configuration; `nil` if the topic holds none that can be read.
    package var configuration: Placed<ConfigurationMessage>?
    /// The place of the tombstone, if that is the newest record of the configuration.
    package var deletion: SourceOffset?
    /// The timelines that the topic still holds, oldest first; compaction removes older ones.
    package var timelines: [Placed<TimelineRecord>] = []
    /// The reloads that name the configuration, oldest first.
    package var reloads: [Placed<ReloadNotification>] = []
    /// The records that the newest timeline was made of. One that the topic holds no more is absent.
    package var sources: [SourceOffset: Record] = [:]
    /// The dead letters with the configuration's key that came from the topic of configurations.
    package var deadLetters: [DeadLetter] = []

    package init(_ configurationId: String, at: Instant, topics: TopicNames, terms: ReloadTerms) {
        self.configurationId = configurationId
        self.at = at
        self.topics = topics
        self.terms = terms
    }

    /// The timeline that is explained: the newest one.
    package var newest: Placed<TimelineRecord>? { timelines.last }

    /// The configuration, if it can be used.
    var usable: WidgetConfiguration? {
        guard case .usable(let configuration)? = configuration?.value else { return nil }
        return configuration
    }

    /// The timeline just before the one at `index`; `nil` if the topic no longer holds it.
    func predecessor(of index: Int) -> Placed<TimelineRecord>? {
        guard index > 0 else { return nil }
        let (before, this) = (timelines[index - 1], timelines[index])
        return before.value.refreshCount + 1 == this.value.refreshCount ? before : nil
    }

    /// The sources of a record that lie in a topic.
    func sources(_ record: TimelineRecord, in topic: String) -> [SourceOffset] {
        record.sources.filter { $0.topic == topic }
    }
}

/// One sentence of an explanation, with the rules that it follows from and the records that show it.
package struct Reason: Hashable, Sendable {
    package enum Subject: String, CaseIterable, Sendable {
        case configuration, timeline, cause, entry, date, status, source, reload, next
    }

    package var about: Subject
    package var text: String
    /// The names of rules in Documentation/Rules.
    package var rules: [String]
    package var sources: [SourceOffset]

    /// - Parameter text: push tokens and credentials in it are masked; it may quote what a configuration has.
    package init(_ about: Subject, _ text: String, rules: [String], sources: [SourceOffset] = []) {
        self.about = about
        self.text = SecretMask.masked(sentence: text)
        self.rules = rules
        self.sources = sources
    }

    /// Writes the sentence as one JSON object.
    package func write(to json: inout JSONWriter) {
        json.beginObject()
        json.string("about", about.rawValue)
        json.string("text", text)
        json.strings("rules", rules)
        json.array("sources", sources) { json, source in
            json.beginObject()
            json.place(source)
            json.endObject()
        }
        json.endObject()
    }
}
