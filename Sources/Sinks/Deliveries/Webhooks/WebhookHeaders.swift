import Crypto
import Foundation
import HTTPClient
import Messages
import RecordLog

/// The headers of what is posted: CloudEvents in binary mode (its HTTP binding 3.1) and Standard Webhooks.
enum WebhookHeaders {
    /// A record's id, the same at each attempt and of no other record: its place alone is that of another one once its
    /// topic was made again. It has no dot.
    static func id(of record: Record) -> String {
        let hash = String(Fingerprint(record).hash, radix: 16)
        return "\(record.topic)-\(record.partition)-\(record.offset)-\(hash)".replacing(".", with: "_")
    }

    /// - Parameter id: the same at each attempt, so that receivers know what they have had; without a dot, which would
    ///   end it in what is signed.
    static func signature(
        _ id: String, _ body: [UInt8], _ secret: WebhookSecret, wall: Instant
    ) -> [HTTPHeader] {
        let timestamp = String(wall.milliseconds / 1000)
        let code = HMAC.sha256(Array("\(id).\(timestamp).".utf8) + body, key: secret.bytes)
        return [
            HTTPHeader("webhook-id", id),
            HTTPHeader("webhook-timestamp", timestamp),
            HTTPHeader("webhook-signature", "v1,\(Data(code).base64EncodedString())"),
        ]
    }

    /// CloudEvents' attributes by their names in HTTP, and the trace.
    static func forwarded(_ header: Header) -> HTTPHeader? {
        guard let value = header.value else { return nil }
        if header.name == CloudEventHeaders.traceParentName { return HTTPHeader(header.name, encoded(value)) }
        return attribute(header).map { HTTPHeader("ce-\($0)", encoded(value)) }
    }

    /// Returns the name of the attribute that the header of a record carries, which is small letters and digits of
    /// ASCII alone (CloudEvents 1.0, "Attribute naming convention"); `nil` if the header carries none.
    static func attribute(_ header: Header) -> Substring? {
        guard header.name.utf8.starts(with: "ce_".utf8) else { return nil }
        let name = header.name.utf8.dropFirst(3)
        // Nobody encodes a name: one with a line break would be a header of its own to whoever reads the request.
        let isName = name.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: false
            }
        }
        return isName && !name.isEmpty && !isOfForm(name) ? Substring(name) : nil
    }

    /// True if no attribute has that name, for something else of an event has it in the forms of CloudEvents.
    private static func isOfForm(_ name: Substring.UTF8View) -> Bool {
        // `data` is the member with the body, `datacontenttype` is told by what sends the body.
        name.elementsEqual("data".utf8) || name.elementsEqual("datacontenttype".utf8)
    }

    /// Printable ASCII but space, quote and percent as it is, the rest by percent (CloudEvents' HTTP binding 3.1.3.2).
    static func encoded(_ value: [UInt8]) -> String {
        var text = ""
        for byte in value {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "%"): text += "%" + [byte].hexadecimal.uppercased()
            case 0x21...0x7E: text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "%" + [byte].hexadecimal.uppercased()
            }
        }
        return text
    }
}
