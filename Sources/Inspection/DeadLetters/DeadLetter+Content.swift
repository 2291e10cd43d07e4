package import Messages
internal import RecordLog
internal import Timelines

extension DeadLetter {
    /// The most characters of a value that is no JSON that are shown.
    private static let shownMax = 4_000

    /// Writes all of the dead letter as one JSON object: headers, key and value, secrets masked. A value that is JSON
    /// stands as `value`, any other as `valueText`, cut after 4,000 characters.
    package func write(to json: inout JSONWriter, _ state: OperationMarks.State, with parser: inout JSONParser) {
        json.beginObject()
        for field in row(state).fields {
            json.key(named: field.name)
            json.value(field.masked)
        }
        json.array("headers", originalHeaders) { json, header in
            json.beginObject()
            json.string("name", header.name)
            json.string("value", shown(header))
            json.endObject()
        }
        if lostBytes == nil, let value = record.value {
            if let parsed = try? value.withUnsafeBytes({ try parser.value($0) }) {
                json.key("value")
                json.value(SecretMask.masked(parsed))
            } else {
                json.string("valueText", shownText(of: value))
            }
        }
        json.endObject()
    }

    /// The dead letter in lines for people: names, and texts that may hold line ends.
    package func lines(_ state: OperationMarks.State, with parser: inout JSONParser) -> [(name: String, text: String)] {
        var lines = row(state).fields.map { (name: $0.name, text: row(state).text($0.name)) }
        for header in originalHeaders { lines.append((name: "header", text: "\(header.name): \(shown(header) ?? "")")) }
        if lostBytes != nil { return lines + [(name: "value", text: "was too large to be kept")] }
        guard let value = record.value else { return lines + [(name: "value", text: "none (a tombstone)")] }
        if let parsed = try? value.withUnsafeBytes({ try parser.value($0) }) {
            var json = JSONWriter()
            json.value(SecretMask.masked(parsed))
            lines.append((name: "value", text: String(decoding: json.bytes, as: UTF8.self)))
        } else {
            lines.append((name: "value", text: shownText(of: value)))
        }
        return lines
    }

    private func shown(_ header: Header) -> String? {
        header.value.map { value in
            let text = String(decoding: value, as: UTF8.self)
            return SecretMask.hides(header.name) ? SecretMask.mask(text) : SecretMask.masked(text: text)
        }
    }

    private func shownText(of value: [UInt8]) -> String {
        // Twice as much is looked at, so that a secret at the cut is not shown in part.
        let text = SecretMask.masked(text: String(String(decoding: value, as: UTF8.self).prefix(Self.shownMax * 2)))
        return text.count > Self.shownMax ? "\(text.prefix(Self.shownMax))…" : text
    }
}
