package import Positions

/// A value of the `timeline.positions.merged` topic (P2).
extension MergedPosition {
    /// Reads what all devices of a reader say together.
    ///
    /// - Throws: a problem that names the field and what is allowed.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, with parser: inout JSONParser
    ) throws(MessageProblem) -> MergedPosition {
        let fields = MessageFields(try parser.object(bytes))
        let devices = try fields.devices()
        return MergedPosition(
            readerId: try fields.requiredIdentifier("readerId"),
            configurationId: try fields.requiredIdentifier("configurationId"),
            position: try fields.fields("position").map { (fields) throws(MessageProblem) in
                try PositionSnapshot(fields)
            },
            devices: devices, readEntries: try fields.marks("readEntries"),
            dismissed: try fields.marks("dismissed"))
    }

    /// Writes the value of the record. Lists of marks are left out if they are empty.
    package func write(to json: inout JSONWriter) {
        json.beginObject()
        json.string("readerId", readerId)
        json.string("configurationId", configurationId)
        json.object("position", position) { $0.members(of: $1) }
        json.array("devices", devices) { json, device in
            json.beginObject()
            json.string("deviceId", device.deviceId)
            json.object("position", device.position) { $0.members(of: $1) }
            json.endObject()
        }
        json.marks("readEntries", readEntries)
        json.marks("dismissed", dismissed)
        json.endObject()
    }
}

extension MessageFields {
    fileprivate func devices() throws(MessageProblem) -> [DevicePosition] {
        try require("devices", objects("devices")).map { (device) throws(MessageProblem) in
            let position = try device.require("position", device.fields("position"))
            return DevicePosition(
                deviceId: try device.identifier("deviceId"), position: try PositionSnapshot(position))
        }
    }
}
