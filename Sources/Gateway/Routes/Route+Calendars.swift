import HTTPServer
package import Messages
import Timelines

/// A timeline as a subscription for calendar programs.
extension Route {
    static func calendars(_ context: GatewayContext) -> [Route] {
        var route: Route =
            .get("/v1/timelines/{configurationId}/calendar.ics") { request throws(Problem) in
                let timeline = try context.timeline(for: request)
                return try request.answer(timeline.entityTag) { () throws(Problem) in
                    let record = try timeline.record()
                    let name = TimelineCalendar.name(
                        timeline.kind, of: timeline.configurationId, context.settings.kinds)
                    let calendar = TimelineCalendar(record, name: name)
                    return HTTPResponse(
                        200, headers: [HTTPField("Content-Type", "text/calendar; charset=utf-8")],
                        body: HTTPBody(calendar.bytes))
                }
            }
        // Calendar programs can send a user and a password, no bearer token.
        route.takesPasswords = true
        return [route]
    }
}

extension StoredTimeline {
    /// The timeline with all its fields as values.
    ///
    /// - Throws: 500 if the record is not of this release's form.
    package func record() throws(Problem) -> TimelineRecord {
        var parser = JSONParser()
        do throws(MessageProblem) {
            return try value.withBytes { (bytes) throws(MessageProblem) in
                try TimelineRecord.decode(bytes, with: &parser)
            }
        } catch {
            throw .internalError("The record of this timeline cannot be read: \(error)")
        }
    }
}
