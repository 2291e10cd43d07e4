package import Timelines

extension JSONSchema {
    /// The text of a schema for people to read: indented by two spaces, with a value on one line if it fits.
    package var text: String {
        var text = ""
        write(to: &text, indent: 0, room: Self.lineLength)
        return text + "\n"
    }

    private static let lineLength = 120

    /// - Parameter room: the columns left on the line, without those of the text that follows this value.
    private func write(to text: inout String, indent: Int, room: Int) {
        let line = onOneLine
        if line.count <= room { return text += line }
        let inner = String(repeating: " ", count: indent + 2)
        let outer = String(repeating: " ", count: indent)
        switch self {
        case .value: text += line
        case .list(let items) where items.allSatisfy(\.isScalar):
            text += "[\n" + Self.filled(items.map(\.onOneLine), inner) + "\n\(outer)]"
        case .list(let items):
            text += "[\n"
            for (index, item) in items.enumerated() {
                text += inner
                item.write(to: &text, indent: indent + 2, room: Self.lineLength - indent - 3)
                text += index + 1 < items.count ? ",\n" : "\n"
            }
            text += "\(outer)]"
        case .object(let members):
            text += "{\n"
            for (index, member) in members.enumerated() {
                let key = ParameterValue.string(member.key).json + ": "
                text += inner + key
                member.value.write(to: &text, indent: indent + 2, room: Self.lineLength - indent - 3 - key.count)
                text += index + 1 < members.count ? ",\n" : "\n"
            }
            text += "\(outer)}"
        }
    }

    private var isScalar: Bool {
        if case .value = self { true } else { false }
    }

    private var onOneLine: String {
        switch self {
        case .value(let value): value.json
        case .list(let items): "[\(items.map(\.onOneLine).joined(separator: ", "))]"
        case .object(let members):
            "{"
                + members.map { "\(ParameterValue.string($0.key).json): \($0.value.onOneLine)" }
                .joined(separator: ", ") + "}"
        }
    }

    /// The items in lines, as many on each as fit.
    private static func filled(_ items: [String], _ indent: String) -> String {
        var lines = [indent]
        for (index, item) in items.enumerated() {
            let item = item + (index + 1 < items.count ? "," : "")
            let last = lines[lines.count - 1]
            if last.count > indent.count, last.count + item.count + 1 > lineLength {
                lines.append(indent + item)
            } else {
                lines[lines.count - 1] += (last.count > indent.count ? " " : "") + item
            }
        }
        return lines.joined(separator: "\n")
    }
}

extension ParameterValue {
    /// The value as JSON on one line.
    package var json: String {
        switch self {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .number(let text): text
        case .string(let text): quoted(text)
        case .array(let values): "[\(values.map(\.json).joined(separator: ", "))]"
        case .object(let members):
            "{\(members.members.map { "\(quoted($0.key)): \($0.value.json)" }.joined(separator: ", "))}"
        }
    }

    private func quoted(_ text: String) -> String {
        var json = JSONWriter()
        json.string(text)
        return json.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
