import Messages
import RecordLog
import Simulation
import TestSupport
import Timelines

@testable import Gateway

extension MemoryCluster {
    /// Commits a timeline whose entries are ticks at these times of the day, each with a text that may differ.
    @discardableResult
    func publish(
        _ id: String, recipient: String? = nil, kind: String = "Board", revision: Int = 1, at instant: String = "08:00",
        entries: [(time: String, text: String)] = [("08:00", "a"), ("09:00", "b")],
        sources: [RecordPlace] = []
    ) -> (partition: Partition, offset: Offset) {
        let list = entries.map { entry in
            let date = TestSupport.at(entry.time).rfc3339
            return #"{"id":"tick/\#(date)","date":"\#(date)","phase":"tick","message":"\#(entry.text)"}"#
        }
        let places = sources.map {
            #"{"topic":"\#($0.topic)","partition":\#($0.partition),"offset":\#($0.offset)}"#
        }
        let value = """
            {"configurationId":"\(id)","kind":"\(kind)","family":"systemMedium","recipient":"\(recipient ?? id)",\
            "revision":\(revision),"generatedAt":"\(TestSupport.at(instant).rfc3339)",\
            "entries":[\(list.joined(separator: ","))],"refreshCount":1,"policy":{"type":"atEnd"},\
            "nextUpdate":"\(TestSupport.at("10:00").rfc3339)","sources":[\(places.joined(separator: ","))]}
            """
        return appendKeyed(TopicNames().timelines, key: id, value: value)
    }

    func delete(_ id: String) { appendKeyed(TopicNames().timelines, key: id, value: nil) }

    @discardableResult
    func reload(
        _ recipient: String, _ number: Int = 1, kind: String = "Board", configurationIds: [String] = ["c"]
    ) -> (partition: Partition, offset: Offset) {
        let value = JSONWriter.object { json in
            json.string("recipient", recipient)
            json.string("kind", kind)
            json.strings("configurationIds", configurationIds)
            json.string("reason", "dataChanged")
            json.integer("revision", number)
            json.instant("issuedAt", at("08:00"))
        }
        return appendKeyed(TopicNames().reloads, key: recipient, value: value)
    }

    func configure(_ id: String, _ members: String) {
        appendKeyed(TopicNames().configurations, key: id, value: #"{"configurationId":"\#(id)",\#(members)}"#)
    }

    func position(_ reader: String, _ id: String, entry: String?) {
        let key = ReaderKey(readerId: reader, configurationId: id).text
        let value = entry.map { #"{"readerId":"\#(reader)","configurationId":"\#(id)","entry":"\#($0)"}"# }
        appendKeyed(TopicNames().positionsMerged, key: key, value: value)
    }
}
