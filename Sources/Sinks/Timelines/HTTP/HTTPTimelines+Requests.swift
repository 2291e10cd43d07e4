import Crypto
import Foundation
import HTTPClient
import Messages
package import RecordLog

/// The requests: of one timeline its value as it is, as a CloudEvent in binary mode; of several a line for each, a
/// CloudEvent in JSON.
extension HTTPTimelines {
    package func attempt(_ contents: [Content], wall: Instant, now: Duration) -> DeliveryAttempt {
        var request = settings.batch > 1 ? lines(contents) : single(contents[0])
        let id = settings.batch > 1 ? Self.id(of: contents) : Self.id(of: contents[0])
        request.headers += WebhookHeaders.signature(id, request.body, settings.secret, wall: wall)
        return DeliveryAttempt(request: request, host: contents[0].place.host)
    }

    private func single(_ content: Content) -> HTTPClientRequest {
        let isNamed = settings.address.namesConfiguration
        var request = HTTPClientRequest(url: content.place.url)
        switch (content.head, isNamed) {
        case (nil, true): request.method = .DELETE
        case (nil, false): request.body = Self.removal(of: content.configurationId)
        case (.some, _):
            if isNamed { request.method = .PUT }
            request.body = content.record.value ?? []
        }
        if !request.body.isEmpty { request.headers.append(HTTPHeader("content-type", "application/json")) }
        for (name, value) in Self.attributes(of: content) {
            request.headers.append(HTTPHeader("ce-\(name)", WebhookHeaders.encoded(Array(value.utf8))))
        }
        let trace = content.record.headers.first { $0.name == CloudEventHeaders.traceParentName }
        if let trace = trace.flatMap(WebhookHeaders.forwarded) { request.headers.append(trace) }
        return request
    }

    /// The headers alone are not signed.
    private static func removal(of configurationId: String) -> [UInt8] {
        Array(
            JSONWriter.object { json in
                json.string("type", "timeline.deleted")
                json.string("configurationId", configurationId)
            }.utf8)
    }

    private func lines(_ contents: [Content]) -> HTTPClientRequest {
        var body: [UInt8] = []
        for content in contents {
            var json = JSONWriter()
            json.beginObject()
            for (name, value) in Self.attributes(of: content) {
                json.key(named: name)
                json.string(value)
            }
            json.string("webhookid", Self.id(of: content))
            if content.head != nil, var value = content.record.value {
                // Between two tokens of JSON any space will do.
                for index in value.indices where [0x0A, 0x0D].contains(value[index]) { value[index] = 0x20 }
                json.string("datacontenttype", "application/json")
                json.key("data")
                value.withUnsafeBytes { json.raw($0) }
            }
            json.endObject()
            body += json.bytes
            body.append(0x0A)
        }
        return HTTPClientRequest(
            url: contents[0].place.url, headers: [HTTPHeader("content-type", "application/x-ndjson")], body: body)
    }

    /// The extensions that the sink itself sets: a record's headers of these names are left out.
    private static let own: Set<String> = ["kind", "recipient", "revision", "webhookid"]

    /// CloudEvents' attributes, no two of one name: those of the record, and some of the timeline as extensions.
    private static func attributes(of content: Content) -> [(name: String, value: String)] {
        var attributes: [(name: String, value: String)] = []
        for header in content.record.headers {
            guard let attribute = WebhookHeaders.attribute(header), let value = header.value else { continue }
            let name = String(attribute)
            // In JSON two members of one name mean something else to each reader.
            guard !own.contains(name), !attributes.contains(where: { $0.name == name }) else { continue }
            attributes.append((name, String(decoding: value, as: UTF8.self)))
        }
        guard let head = content.head else {
            let isTombstone = content.record.value == nil
            for index in attributes.indices {
                switch attributes[index].name {
                case "type": attributes[index].value = ContractVersion.eventType("timeline.deleted")
                // Of a record that is a timeline elsewhere the event is another one here.
                case "id" where !isTombstone: attributes[index].value += "/deleted"
                default: continue
                }
            }
            return attributes
        }
        return attributes
            + [
                ("kind", head.kind), ("recipient", head.recipient), ("revision", String(head.revision)),
            ].filter { !$0.1.isEmpty }
    }

    /// The same whenever this record is sent, and never another one's: a topic that was made again has other hashes.
    /// One record may say that a timeline is gone from one place and is at another.
    static func id(of content: Content) -> String {
        WebhookHeaders.id(of: content.record) + (content.head == nil ? "-deleted" : "")
    }

    /// The same for the same records in the same order.
    private static func id(of contents: [Content]) -> String {
        let ids = contents.map { id(of: $0) }.joined(separator: " ")
        return "batch-" + Array(SHA256.hash(Array(ids.utf8)).prefix(16)).hexadecimal
    }
}
