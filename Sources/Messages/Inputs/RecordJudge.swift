internal import Agendas
package import Timelines

/// Finds the problems of a record before it is written, by the decoding that the pipeline uses: what it refuses would
/// be a dead letter, or the `error` timeline of a configuration.
///
/// Use one for each thread and keep it, as a parser.
package struct RecordJudge: ~Copyable {
    private let content: InputContent
    private let kinds: WidgetKinds
    private var parser = JSONParser()
    private var telemetry = TelemetryReader()

    /// - Parameter kinds: the declared kinds, whose rules configurations must follow.
    package init(_ content: InputContent, kinds: WidgetKinds = WidgetKinds()) {
        self.content = content
        self.kinds = kinds
    }

    /// All problems of an object; empty if the pipeline can use it. An object with `"deleted": true` stands for a
    /// tombstone and has none, but for telemetry, which has no tombstones.
    ///
    /// A configuration that would get an `error` timeline has problems, for it would replace one that works.
    ///
    /// - Parameter key: the record's key, of which an event takes the calendar if it names none; `nil` if it has none.
    package mutating func problems(of bytes: UnsafeRawBufferPointer, key: [UInt8]?) -> [MessageProblem] {
        do throws(MessageProblem) {
            switch content {
            case .telemetry:
                _ = try telemetry.read(bytes)
                return []
            case .configurations: return try isTombstone(bytes) ? [] : configuration(bytes)
            case .calendarEvents:
                if try isTombstone(bytes) { return [] }
                return CalendarEventMessage.problems(of: bytes, key: key, with: &parser)
            case .positions:
                _ = try PositionLine.decode(bytes, with: &parser)
                return []
            }
        } catch {
            return [error]
        }
    }

    /// True for an object with `"deleted": true` that is no telemetry.
    ///
    /// - Throws: if the bytes are not a JSON object, or `deleted` is neither true nor false.
    package mutating func isTombstone(_ bytes: UnsafeRawBufferPointer) throws(MessageProblem) -> Bool {
        guard content != .telemetry else { return false }
        switch try parser.object(bytes)["deleted"] {
        case nil, .null?, .bool(false)?: return false
        case .bool(true)?: return true
        default: throw MessageProblem(.wrongType, field: "deleted", "must be true or false")
        }
    }

    private mutating func configuration(_ bytes: UnsafeRawBufferPointer) throws(MessageProblem) -> [MessageProblem] {
        var problems: [MessageProblem] = []
        if case .unusable(let unusable) = try ConfigurationMessage.decode(bytes, kinds: kinds, with: &parser) {
            problems = unusable.problems.all.map { MessageProblem(.notAllowed, field: $0.key, $0.message) }
        }
        if case .failure(let problem)? = try PushRegistration.read(bytes, with: &parser).push {
            problems.append(problem)
        }
        return problems
    }
}
