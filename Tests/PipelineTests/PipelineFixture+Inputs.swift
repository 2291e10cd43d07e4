import Messages
import RecordLog
import TestSupport
import Timelines

/// What tests put in. Fields are written as the JSON that follows the ids: `#""speed": 40"#`.
extension PipelineFixture {
    func telemetry(
        _ vehicleId: String, _ observedAt: String, _ fields: String = "", headers: [Header] = [],
        partition: Partition? = nil
    ) {
        put(
            topics.telemetry, key: vehicleId,
            object([#""vehicleId": "\#(vehicleId)""#, #""observedAt": "\#(at(observedAt).rfc3339)""#, fields]),
            headers: headers, partition: partition)
    }

    func moving(_ vehicleId: String, _ observedAt: String, speed: Int = 40) {
        telemetry(vehicleId, observedAt, #""ignition": true, "speed": \#(speed)"#)
    }

    func parked(_ vehicleId: String, _ observedAt: String) {
        telemetry(vehicleId, observedAt, #""ignition": false, "speed": 0"#)
    }

    func idling(_ vehicleId: String, _ observedAt: String) {
        telemetry(vehicleId, observedAt, #""ignition": true, "speed": 0"#)
    }

    func event(
        _ calendarId: String, _ uid: String, _ start: String, _ end: String, _ fields: String = "",
        headers: [Header] = [], partition: Partition? = nil
    ) {
        let times = #""start": "\#(at(start).rfc3339)", "end": "\#(at(end).rfc3339)""#
        rawEvent(calendarId, uid, times + (fields.isEmpty ? "" : ", " + fields), headers: headers, partition: partition)
    }

    func rawEvent(
        _ calendarId: String, _ uid: String, _ fields: String, key: String? = nil, headers: [Header] = [],
        partition: Partition? = nil
    ) {
        let ids = #""calendarId": "\#(calendarId)", "uid": "\#(uid)", "title": "\#(uid)""#
        put(
            topics.calendarEvents, key: key ?? "\(calendarId)/\(uid)", object([ids, fields]), headers: headers,
            partition: partition)
    }

    func removeEvent(_ key: String, partition: Partition? = nil) {
        put(topics.calendarEvents, key: key, nil, partition: partition)
    }

    func configuration(_ id: String, _ fields: String, headers: [Header] = [], partition: Partition? = nil) {
        let kind = fields.contains(#""kind""#) ? "" : #""kind": "Demo""#
        put(
            topics.configurations, key: id, object([#""configurationId": "\#(id)""#, kind, fields]), headers: headers,
            partition: partition)
    }

    func removeConfiguration(_ id: String, headers: [Header] = [], partition: Partition? = nil) {
        put(topics.configurations, key: id, nil, headers: headers, partition: partition)
    }

    /// What a device says; `fields` as in `telemetry`. `timestamp` is the clock's unless it is given.
    func position(
        _ reader: String, _ configuration: String, _ device: String?, _ entryId: String, _ observedAt: String,
        _ fields: String = "", headers: [Header] = [], partition: Partition? = nil, timestamp: String? = nil
    ) {
        let names = [
            #""readerId": "\#(reader)", "configurationId": "\#(configuration)""#,
            device.map { #""deviceId": "\#($0)""# } ?? "",
        ]
        let place = #""entryId": "\#(entryId)", "observedAt": "\#(at(observedAt).rfc3339)""#
        let key = PositionKey(ReaderKey(readerId: reader, configurationId: configuration), deviceId: device).text
        put(topics.positions, key: key, object(names + [place, fields]), headers: headers, partition: partition)
        if let timestamp { inputs[inputs.count - 1].timestamp = at(timestamp) }
    }

    func removePosition(_ key: String, partition: Partition? = nil) {
        put(topics.positions, key: key, nil, partition: partition)
    }

    func put(
        _ topic: String, key: String?, _ value: String?, headers: [Header] = [], partition: Partition? = nil
    ) {
        inputs.append(
            InputSpec(
                topic: topic, key: key.map { Array($0.utf8) }, value: value.map { Array($0.utf8) }, headers: headers,
                partition: partition))
    }

    private func object(_ members: [String]) -> String {
        "{" + members.filter { !$0.isEmpty }.joined(separator: ", ") + "}"
    }
}
