import Foundation
package import HTTPClient

/// The meaning of a collector's answer, by OTLP's rules for HTTP.
package enum OTLPAnswer: Hashable, Sendable {
    /// It took the spans, but for so many.
    case taken(rejected: Int, reason: String)
    /// The same request may be made again.
    case again(String)
    /// The same request would be refused again.
    case refused(String)

    package init(_ result: Result<HTTPClientResponse, HTTPClientError>) {
        switch result {
        case .failure(let error) where error.kind == .invalid || error.kind == .notTrusted:
            self = .refused(error.description)
        case .failure(let error): self = .again(error.description)
        case .success(let response):
            switch response.status {
            case 200..<300: self = Self.taken(response.body)
            case 429, 502, 503, 504: self = .again("status \(response.status)")
            default: self = .refused("status \(response.status)")
            }
        }
    }

    /// A collector that takes all of them answers with an empty message, or with nothing.
    private static func taken(_ body: [UInt8]) -> Self {
        let answer = try? JSONDecoder().decode(Response.self, from: Data(body))
        guard let partial = answer?.partialSuccess, let rejected = Int(partial.rejectedSpans?.text ?? "0"), rejected > 0
        else { return .taken(rejected: 0, reason: "") }
        return .taken(rejected: rejected, reason: partial.errorMessage ?? "no reason given")
    }

    private struct Response: Decodable {
        var partialSuccess: PartialSuccess?

        struct PartialSuccess: Decodable {
            var rejectedSpans: Number?
            var errorMessage: String?
        }
    }

    /// A number of 64 bits, which is a text in OTLP; some collectors write a number.
    private struct Number: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                text = String(number)
            } else {
                text = try container.decode(String.self)
            }
        }
    }
}
