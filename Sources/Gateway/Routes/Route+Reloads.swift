import Access
import HTTPServer
import Messages
import RecordLog
import Timelines

/// Reloads for those that were offline, and the kinds that they name.
extension Route {
    static func reloads(_ context: GatewayContext) -> [Route] {
        [
            .get("/v1/reloads", query: ["recipient", "since", "limit"]) { request throws(Problem) in
                guard let recipient = try request.query.text("recipient") else {
                    throw .invalidParameter("recipient", "is missing; it names the recipient of the reloads")
                }
                let start = try start(request.query.text("since"))
                let limit = try request.query.limit()
                try context.requireReady()
                let page = context.views.reloads(
                    from: start, recipient: recipient, recipients: request.caller.recipients, limit: limit)
                var next = OffsetVector()
                for (partition, offset) in page.next { next.set(.reloads, partition, offset) }
                return .now(
                    .json(headers: [HTTPField("Cache-Control", "no-store")]) { json in
                        json.beginObject()
                        json.array("items", page.reloads) { json, reload in reload.value.withBytes { json.raw($0) } }
                        json.string("cursor", next.text)
                        json.bool("complete", page.isComplete && !page.hasMore)
                        json.endObject()
                    })
            }
        ]
    }

    private static func start(_ since: String?) throws(Problem) -> ReloadWindow.Start {
        guard let since else { return .earliest }
        if let vector = OffsetVector(text: since), vector.offsets.keys.elementsEqual([.reloads]) {
            return .offsets(vector.positions(of: .reloads))
        }
        guard let instant = QueryParameters.instant(since) else {
            throw .invalidParameter("since", "must be the cursor of an answer before, or an RFC 3339 date-time")
        }
        return .instant(instant)
    }

    static func kinds(_ context: GatewayContext) -> [Route] {
        [
            .get("/v1/kinds") { request throws(Problem) in
                try context.requireReady()
                let declared = context.settings.kinds
                let seen = context.views.kinds(recipients: request.caller.recipients)
                let names = Set((declared.all.map(\.kind) + seen).map { TextKey($0) }).sorted().map(\.text)
                return .now(
                    .json(headers: [HTTPField("Cache-Control", "private, no-cache")]) { json in
                        json.beginObject()
                        json.array("items", names) { json, name in json.kind(name, declared[name]) }
                        json.endObject()
                    })
            }
        ]
    }
}

extension JSONWriter {
    /// - Parameter declared: the declaration; `nil` for a kind that only timelines name.
    fileprivate mutating func kind(_ name: String, _ declared: WidgetKind?) {
        beginObject()
        string("kind", name)
        string("displayName", declared?.displayName)
        string("description", declared?.description)
        let families = declared?.supportedFamilies ?? WidgetFamily.allCases
        strings("supportedFamilies", families.map(\.rawValue))
        key("parameters")
        beginObject()
        for parameter in declared?.parameters ?? [] {
            key(named: parameter.key)
            beginObject()
            string("title", parameter.title)
            string("type", parameter.type.rawValue)
            if parameter.type == .array { string("items", parameter.items.rawValue) }
            if let value = parameter.defaultValue {
                key("default")
                self.value(value)
            }
            endObject()
        }
        endObject()
        bool("declared", declared != nil)
        endObject()
    }
}
