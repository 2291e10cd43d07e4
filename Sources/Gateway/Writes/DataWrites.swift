import Access
import Agendas
import HTTPServer
import Messages
import RecordLog
import Timelines

/// Telemetry and calendar events that callers send.
///
/// They are no recipient's and no reader's: whoever is confined to some may not write them.
final class DataWrites: Sendable {
    private let context: GatewayContext

    init(_ context: GatewayContext) {
        self.context = context
    }

    /// Writes the objects of the body, if all of them can be used.
    func post(_ request: GatewayRequest, _ content: InputContent) throws(Problem) -> HTTPAnswer {
        try request.caller.requireUnconfined()
        let topic = content == .telemetry ? context.settings.topics.telemetry : context.settings.topics.calendarEvents
        let records = try request.withObjects { (objects) throws(Problem) in
            for object in objects { try context.requireSize(object.bytes.count) }
            return try Self.records(objects, content, topic)
        }
        return request.answering { [context] (completion) throws(Problem) in
            context.write(records, completion) { completion.finish(.accepted($0)) }
        }
    }

    /// Writes the tombstone of an event, whether there is one or not: events are not in memory.
    func deleteEvent(_ request: GatewayRequest) throws(Problem) -> HTTPAnswer {
        try request.caller.requireUnconfined()
        var recurrenceId: EventTime?
        if let text = try request.query.text("recurrenceId") {
            // A plus sign that is not encoded has become a space.
            recurrenceId = EventTime(text: String(text.map { $0 == " " ? "+" : $0 }))
            guard recurrenceId != nil else {
                throw .invalidParameter(
                    "recurrenceId", "must be an RFC 3339 date-time with offset, a local date-time or a date")
            }
        }
        let key = EventKey(calendarId: request["calendarId"], uid: request["uid"], recurrenceId: recurrenceId)
        let record = OutgoingRecord(
            topic: context.settings.topics.calendarEvents, key: Array(key.text.utf8), value: nil)
        return request.answering { [context] (completion) throws(Problem) in
            context.write([record], completion) { completion.finish(.accepted($0[0])) }
        }
    }

    private static func records(
        _ objects: [BodyObject], _ content: InputContent, _ topic: String
    ) throws(Problem) -> [OutgoingRecord] {
        var judge = RecordJudge(content)
        var parser = JSONParser()
        var records: [OutgoingRecord] = []
        var errors: [Problem.FieldError] = []
        for object in objects {
            do throws(MessageProblem) {
                let key = Array(try content.key(of: parser.object(object.bytes)).utf8)
                let problems = judge.problems(of: object.bytes, key: key)
                errors += problems.map { Problem.fieldError($0, at: object.path) }
                guard problems.isEmpty else { continue }
                let isTombstone = try judge.isTombstone(object.bytes)
                records.append(
                    OutgoingRecord(topic: topic, key: key, value: isTombstone ? nil : Array(object.bytes)))
            } catch {
                errors.append(Problem.fieldError(error, at: object.path))
            }
        }
        guard errors.isEmpty else { throw .refused(errors) }
        return records
    }
}

extension Caller {
    /// - Throws: 403 if the caller is confined to recipients or readers.
    func requireUnconfined() throws(Problem) {
        guard case .all = recipients, case .all = readers else {
            throw Problem(
                403, "confined", "The token is confined to recipients or readers.",
                detail: "This request needs a token that is not.")
        }
    }
}
