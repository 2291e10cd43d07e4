import HTTPServer
import Messages
import Positions
import Timelines

extension StoredValue {
    /// True if the merged position has the record's place of its device, or a newer one, and all of its marks.
    func covers(_ record: PositionRecord) -> Bool {
        var parser = JSONParser()
        guard let merged = try? bytes.withBytes({ try MergedPosition.decode($0, with: &parser) }) else { return false }
        func has(_ marks: [EntryMark], in known: [EntryMark]) -> Bool {
            marks.allSatisfy { mark in known.contains { $0.entryId == mark.entryId && $0.at >= mark.at } }
        }
        return merged.devices.contains {
            $0.deviceId == record.deviceId && $0.position.observedAt >= record.position.observedAt
        } && has(record.dismissed, in: merged.dismissed) && has(record.readEntries, in: merged.readEntries)
    }
}

extension RecordJudge {
    /// The first problem of a record of `timeline.positions`.
    static func problem(ofPosition bytes: UnsafeRawBufferPointer) -> MessageProblem? {
        var judge = RecordJudge(.positions)
        return judge.problems(of: bytes, key: nil).first
    }
}

/// The body of a dismissal.
struct Dismissal {
    var deviceId: String?
    /// `nil` stands for all suggestions that there are.
    var entryIds: [String]?

    init(_ body: Parameters) throws(Problem) {
        var errors: [Problem.FieldError] = []
        switch body["deviceId"] {
        case nil, .null?: break
        case .string(let text)?, .number(let text)?: deviceId = text.isEmpty ? nil : text
        default: errors.append(.init(field: "deviceId", message: "must be text or a number"))
        }
        switch body["entryIds"] {
        case nil, .null?: break
        case .array(let elements)? where !elements.isEmpty:
            var ids: [String] = []
            for (index, element) in elements.enumerated() {
                if case .string(let text) = element, !text.isEmpty {
                    ids.append(text)
                } else {
                    errors.append(.init(field: "entryIds[\(index)]", message: "must be text that is not empty"))
                }
            }
            entryIds = ids
        default: errors.append(.init(field: "entryIds", message: "must be a list of one text or more"))
        }
        guard errors.isEmpty else { throw .refused(errors) }
    }
}
