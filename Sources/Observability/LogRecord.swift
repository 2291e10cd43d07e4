import Foundation

/// One record on its way to a line.
struct LogRecord {
    let time: Date
    let level: Logger.Level
    let label: String
    let message: String
    let metadata: Logger.Metadata

    /// The line for people: time, level, message, then `key=value`, quoted where a value has spaces or is empty.
    func text(colored: Bool) -> String {
        let name = level.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
        var line = "\(timestamp) \(colored ? level.colored(name) : name) \(message.escapingControls)"
        for (key, value) in sortedMetadata {
            line += " \(key.escapingControls)=\(value.description.quotedIfNeeded)"
        }
        return line
    }

    /// The line for machines: one JSON object. Metadata is an object of its own, so that no key hides a field.
    var json: String {
        var line = #"{"time":"\#(timestamp)","level":"\#(level.rawValue)","logger":"#
        line.appendJSON(label)
        line += #","message":"#
        line.appendJSON(message)
        if !metadata.isEmpty {
            line += #","metadata":"#
            line.appendJSON(.dictionary(metadata))
        }
        return line + "}"
    }

    private var timestamp: String {
        // Dates are binary fractions: without rounding, .123 would often be written .122.
        let milliseconds = (time.timeIntervalSince1970 * 1000).rounded()
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // Half a millisecond more, because the style cuts off what it does not show.
        return Date(timeIntervalSince1970: (milliseconds + 0.5) / 1000).formatted(style)
    }

    private var sortedMetadata: [(key: String, value: Logger.MetadataValue)] {
        metadata.sorted { $0.key < $1.key }
    }
}

extension Logger.Level {
    fileprivate func colored(_ text: String) -> String {
        switch self {
        case .trace, .debug: "\u{1B}[2m\(text)\u{1B}[0m"
        case .info, .notice: text
        case .warning: "\u{1B}[33m\(text)\u{1B}[0m"
        case .error, .critical: "\u{1B}[31m\(text)\u{1B}[0m"
        }
    }
}

extension String {
    fileprivate mutating func appendJSON(_ value: Logger.MetadataValue) {
        switch value {
        case .string(let text):
            appendJSON(text)
        case .stringConvertible(let value):
            if let literal = Self.literal(value) { append(literal) } else { appendJSON(value.description) }
        case .array(let values):
            append("[")
            for (index, value) in values.enumerated() {
                if index > 0 { append(",") }
                appendJSON(value)
            }
            append("]")
        case .dictionary(let values):
            append("{")
            for (index, entry) in values.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { append(",") }
                appendJSON(entry.key)
                append(":")
                appendJSON(entry.value)
            }
            append("}")
        }
    }

    /// The text that JSON writes without quotes; `nil` for all else, also for numbers that are not finite.
    private static func literal(_ value: any CustomStringConvertible & Sendable) -> String? {
        switch value {
        case let value as any BinaryInteger: "\(value)"
        case let value as Double where value.isFinite: "\(value)"
        case let value as Float where value.isFinite: "\(value)"
        case let value as Bool: "\(value)"
        default: nil
        }
    }

    fileprivate mutating func appendJSON(_ text: String) {
        append("\"")
        append(text.escaped(quotes: true))
        append("\"")
    }

    fileprivate var quotedIfNeeded: String {
        let isPlain = unicodeScalars.allSatisfy { $0.value > 0x20 && $0 != "\"" && $0 != "=" && $0 != "\u{7F}" }
        return isPlain && !isEmpty ? self : "\"\(escaped(quotes: true))\""
    }

    fileprivate var escapingControls: String {
        escaped(quotes: false)
    }

    private func escaped(quotes: Bool) -> String {
        var result = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"" where quotes: result += "\\\""
            case "\\" where quotes: result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
