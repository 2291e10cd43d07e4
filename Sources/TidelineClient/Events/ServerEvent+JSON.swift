internal import Foundation
internal import Positions

extension ServerEvent {
    /// Reads what an event of the stream says. `nil` means that its type is newer than this library.
    ///
    /// The second result is the bytes of a timeline as the server holds it.
    ///
    /// - Throws: `.unreadable` with the path of the key, and what is allowed.
    static func reading(_ event: ServerSentEvent) throws(TidelineError) -> (event: ServerEvent, value: Data?)? {
        switch event.type {
        case "timeline":
            let (fields, value) = try parts(of: event)
            guard let value else {
                let id = try fields.require("configurationId", fields.text("configurationId"))
                return (.timelineRemoved(configurationId: id), nil)
            }
            let bytes = Data(JSONText.bytes(of: value))
            return (.timeline(try PublishedTimeline(JSONFields(value, path: "value"))), bytes)
        case "reload":
            let (_, value) = try parts(of: event)
            guard let value else { return nil }
            return (.reload(try ReloadEvent(JSONFields(value, path: "value"))), nil)
        case "position":
            let (fields, value) = try parts(of: event)
            guard let value else {
                return (
                    .positionRemoved(
                        readerId: try fields.require("readerId", fields.text("readerId")),
                        configurationId: try fields.require("configurationId", fields.text("configurationId"))), nil
                )
            }
            return (.position(try MergedPosition.reading(Data(JSONText.bytes(of: value)))), nil)
        case "gap": return (.gap, nil)
        default: return nil
        }
    }

    private static func parts(
        of event: ServerSentEvent
    ) throws(TidelineError) -> (fields: JSONFields, value: ParameterValue?) {
        let fields = try JSONFields(event.data.utf8)
        return (fields, fields.value("value"))
    }
}

extension ReloadEvent {
    fileprivate init(_ fields: JSONFields) throws(TidelineError) {
        self.init(
            recipient: try fields.require("recipient", fields.text("recipient")),
            kind: try fields.require("kind", fields.text("kind")),
            configurationIds: try fields.texts("configurationIds") ?? [], reason: try fields.text("reason"))
    }
}

extension MergedPosition {
    /// Reads a merged position.
    ///
    /// - Throws: `.unreadable` with the path of the key, and what is allowed.
    static func reading(_ json: Data) throws(TidelineError) -> MergedPosition {
        do {
            return try JSONDecoder().decode(MergedPosition.self, from: json)
        } catch {
            throw .unreadable("the merged position: \(DecodingProblem.text(of: error))")
        }
    }
}

/// Words for what `Codable` throws.
enum DecodingProblem {
    /// The path of the key, and the reason.
    static func text(of error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        switch error {
        case .keyNotFound(let key, let context): return "\(path(context.codingPath + [key])) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            return "\(path(context.codingPath)): \(context.debugDescription)"
        @unknown default: return "\(error)"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce(into: "") { path, key in
            path += key.intValue.map { "[\($0)]" } ?? (path.isEmpty ? "" : ".") + key.stringValue
        }
    }
}
